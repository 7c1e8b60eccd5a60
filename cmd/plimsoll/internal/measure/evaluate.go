package measure

import (
	"errors"
	"fmt"
	"maps"
	"runtime"
	"slices"
	"strings"
	"sync"
)

// Play plays one run.
type Play func(policy string, with map[string]float64, seed uint64) (*Run, error)

// want is one figure that a run is asked for, and where it goes.
type want struct {
	of *Figure
	to []float64 // one per seed
}

// setting is a policy with parameters, and what is wanted of its runs.
type setting struct {
	policy string
	with   map[string]float64
	wants  []want
}

// Evaluate plays what the expectations need with the seeds 1 to n and gives a
// verdict on each. Runs are played at once on all processors; nothing depends
// on their order. Progress, if not nil, hears of every run that has ended, one
// at a time.
func Evaluate(all []Expectation, seeds int, play Play, progress func(done, of int)) ([]Verdict, error) {
	var settings []*setting
	byKey := map[string]*setting{}
	ask := func(f *Figure) []float64 {
		key := settingKey(f)
		s := byKey[key]
		if s == nil {
			s = &setting{policy: f.Policy, with: f.With}
			byKey[key] = s
			settings = append(settings, s)
		}
		to := make([]float64, seeds)
		s.wants = append(s.wants, want{f, to})
		return to
	}
	mains, others := make([][]float64, len(all)), make([][]float64, len(all))
	for i := range all {
		if e := &all[i]; e.Pending == "" {
			mains[i] = ask(&e.Figure)
			if e.Other != nil {
				others[i] = ask(e.Other)
			}
		}
	}
	if err := playAll(settings, seeds, play, progress); err != nil {
		return nil, err
	}
	verdicts := make([]Verdict, len(all))
	for i := range all {
		e := &all[i]
		if e.Pending != "" {
			verdicts[i] = Verdict{Of: e}
			continue
		}
		verdicts[i] = e.judge(e.compare(mains[i], others[i]))
	}
	return verdicts, nil
}

// compare puts the values of a figure and of the other one together.
func (e *Expectation) compare(main, other []float64) []float64 {
	if other == nil {
		return main
	}
	values := make([]float64, len(main))
	for i := range main {
		if values[i] = main[i] - other[i]; e.Over {
			values[i] = main[i] / other[i]
		}
	}
	return values
}

// settingKey tells settings apart.
func settingKey(f *Figure) string {
	var b strings.Builder
	b.WriteString(f.Policy)
	for _, name := range slices.Sorted(maps.Keys(f.With)) {
		fmt.Fprintf(&b, "\x00%s=%v", name, f.With[name])
	}
	return b.String()
}

// playAll plays every setting with every seed.
func playAll(settings []*setting, seeds int, play Play, progress func(done, of int)) error {
	type job struct {
		setting *setting
		seed    int
	}
	jobs := make(chan job)
	var (
		wait   sync.WaitGroup
		lock   sync.Mutex
		faults = map[string]error{}
		done   int
	)
	for range runtime.GOMAXPROCS(0) {
		wait.Go(func() {
			for j := range jobs {
				err := j.setting.take(play, j.seed)
				lock.Lock()
				if err != nil {
					faults[err.Error()] = err
				}
				if done++; progress != nil {
					progress(done, len(settings)*seeds)
				}
				lock.Unlock()
			}
		})
	}
	for _, s := range settings {
		for seed := range seeds {
			jobs <- job{s, seed}
		}
	}
	close(jobs)
	wait.Wait()
	var err error
	for _, text := range slices.Sorted(maps.Keys(faults)) {
		err = errors.Join(err, faults[text])
	}
	return err
}

// take plays one run and takes what is wanted of it.
func (s *setting) take(play Play, seed int) error {
	run, err := play(s.policy, s.with, uint64(seed+1))
	if err != nil {
		return err
	}
	for _, w := range s.wants {
		v, fault := w.of.value(run)
		w.to[seed] = v
		err = errors.Join(err, fault)
	}
	return err
}
