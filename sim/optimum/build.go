package optimum

import (
	"cmp"
	"slices"
	"time"
)

// Build is a lower bound of the clairvoyant optimum: what a schedule is worth
// that exists. It takes the jobs in order of their worth for their need, and
// keeps each with which all that are kept are still in time when free workers
// take the earliest deadline first. It takes n times n log n; see [Blocks].
func Build(in Instance) float64 {
	jobs := in.possible()
	order := make([]int, len(jobs))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return denser(jobs[a], jobs[b]) })
	kept := make([]bool, len(jobs))
	l := list{free: make([]time.Duration, in.Workers)}
	worth := 0.0
	for _, i := range order {
		kept[i] = true
		if l.inTime(jobs, kept) {
			worth += jobs[i].Weight
		} else {
			kept[i] = false
		}
	}
	return worth
}

// list is workers who take jobs and keep them to their end.
type list struct {
	free []time.Duration // when each worker is
	line earliest
}

// inTime reports whether all kept jobs are in time when the earliest deadline
// goes first. The jobs are in order of arrival.
func (l *list) inTime(jobs []Job, kept []bool) bool {
	clear(l.free)
	l.line.heap = l.line.heap[:0]
	now := time.Duration(0)
	for next := 0; ; {
		worker := slices.Index(l.free, slices.Min(l.free))
		now = max(now, l.free[worker]) // whoever waits had arrived by then
		for next < len(jobs) && (!kept[next] || jobs[next].Arrival <= now || len(l.line.heap) == 0) {
			if kept[next] {
				now = max(now, jobs[next].Arrival)
				l.line.push(jobs, next)
			}
			next++
		}
		if len(l.line.heap) == 0 {
			return true
		}
		j := &jobs[l.line.heap[0]]
		l.line.pop(jobs)
		l.free[worker] = now + j.Need
		if l.free[worker] > j.Deadline {
			return false
		}
	}
}

// Blocks are bounds of a long instance, from its pieces: the jobs that arrive
// within each length of time. Above, the workers serve each piece as if it were
// alone, until its last deadline; below, they have to be done with it when the
// next begins. Both cost at most the longest window in the length of a piece,
// so that a hundred times the longest window costs a hundredth.
func Blocks(in Instance, length time.Duration) (lower, upper float64) {
	jobs := in.possible()
	for len(jobs) > 0 {
		k := jobs[0].Arrival / length
		n, _ := slices.BinarySearchFunc(jobs, (k+1)*length, func(j Job, t time.Duration) int { return cmp.Compare(j.Arrival, t) })
		upper += Flow(Instance{Workers: in.Workers, Jobs: jobs[:n]})
		clipped := slices.Clone(jobs[:n])
		for i := range clipped {
			clipped[i].Deadline = min(clipped[i].Deadline, (k+1)*length)
		}
		lower += Build(Instance{Workers: in.Workers, Jobs: clipped})
		jobs = jobs[n:]
	}
	return lower, upper
}
