package arena

import (
	"cmp"
	"runtime"
	"slices"

	"golang.org/x/sync/errgroup"

	"github.com/plimsoll-go/plimsoll/sim"
	"github.com/plimsoll-go/plimsoll/sim/optimum"
)

// Task is a part of the matrix: policies in one scenario, with so many seeds
// from First on.
type Task struct {
	Bout     *Bout
	Policies []Policy
	First    uint64
	Seeds    int

	// Clairvoyant has the clairvoyant optimum computed where a run is above the
	// optimum of its scenario, which takes as long as several runs.
	Clairvoyant bool
}

// Runs is how many runs it takes.
func (t *Task) Runs() int { return t.Seeds * len(t.Policies) }

// Play plays tasks. Step is called by several goroutines, after every run. The
// scores are in the order of tasks, policies and seeds.
func Play(tasks []Task, step func()) ([]Score, error) {
	total := 0
	for i := range tasks {
		total += tasks[i].Runs()
	}
	scores := make([]Score, total)
	var work errgroup.Group
	work.SetLimit(runtime.GOMAXPROCS(0))
	start := 0
	for i := range tasks {
		t := &tasks[i]
		to := scores[start : start+t.Runs()]
		start += t.Runs()
		for n := range t.Seeds {
			work.Go(func() error { return t.play(n, to, step) })
		}
	}
	return scores, work.Wait()
}

// play plays the nth seed of a task.
func (t *Task) play(n int, to []Score, step func()) error {
	seed := t.First + uint64(n)
	best, err := t.Bout.possibleOf(seed)
	if err != nil {
		return err
	}
	var all float64 // clairvoyant, once it is needed
	for p := range t.Policies {
		r, err := sim.Run(t.Bout.under(t.Policies[p]), seed)
		if err != nil {
			return err
		}
		s := t.Bout.score(t.Policies[p], seed, &best, r)
		if t.Clairvoyant && s.Goodput > 1 {
			if all == 0 {
				all = optimum.Fluid(best.instance)
			}
			s.Clairvoyant = share(s.Goodput*best.worth, all)
		}
		to[p*t.Seeds+n] = s
		step()
	}
	return nil
}

// Decide plays further seeds of those scenarios in which it is open whether the
// gate is within a hundredth of a policy, of these two alone, twice as many each
// time, until none is open or a scenario has so many. The scores are those that
// it was given and the new ones, in the order of bouts, policies and seeds.
func Decide(bouts []Bout, policies []Policy, scores []Score, most int, play func([]Task) ([]Score, error)) ([]Score, error) {
	for {
		var tasks []Task
		for _, row := range Sum(scores, policies) {
			open := row.undecided()
			more := min(2*row.Seeds, most) - row.Seeds
			if len(open) == 0 || more <= 0 {
				continue
			}
			bout := slices.IndexFunc(bouts, func(b Bout) bool { return b.Name == row.Scenario })
			chosen := slices.DeleteFunc(slices.Clone(policies), func(p Policy) bool { return p.Name != Auto && !slices.Contains(open, p.Name) })
			tasks = append(tasks, Task{Bout: &bouts[bout], Policies: chosen, First: row.last + 1, Seeds: more})
		}
		if len(tasks) == 0 {
			return sorted(scores, bouts, policies), nil
		}
		further, err := play(tasks)
		if err != nil {
			return nil, err
		}
		scores = append(scores, further...)
	}
}

// sorted are scores in the order of bouts, policies and seeds.
func sorted(scores []Score, bouts []Bout, policies []Policy) []Score {
	place := map[string]int{}
	for i := range bouts {
		place[bouts[i].Name] = i
	}
	names := Names(policies)
	slices.SortStableFunc(scores, func(a, b Score) int {
		return cmp.Or(
			cmp.Compare(place[a.Scenario], place[b.Scenario]),
			cmp.Compare(slices.Index(names, a.Policy), slices.Index(names, b.Policy)),
			cmp.Compare(a.Seed, b.Seed),
		)
	})
	return scores
}
