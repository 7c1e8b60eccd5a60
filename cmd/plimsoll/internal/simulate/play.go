package simulate

import (
	"runtime"
	"sync"

	"github.com/plimsoll-go/plimsoll/cmd/plimsoll/internal/scenario"
	"github.com/plimsoll-go/plimsoll/sim"
)

// run is one play of a scenario.
type run struct {
	policy string
	seed   uint64
	plan   *scenario.Plan
	report *sim.Report
}

// play plays every policy with every seed, several at once: the seeds of the
// first policy, then those of the next. Done hears of each that has ended.
func play(policies []string, plans []scenario.Plan, seeds []uint64, done func()) ([]run, error) {
	runs := make([]run, 0, len(policies)*len(seeds))
	for i, policy := range policies {
		for _, seed := range seeds {
			runs = append(runs, run{policy: policy, seed: seed, plan: &plans[i]})
		}
	}
	var (
		workers sync.WaitGroup
		lock    sync.Mutex
		failure error
	)
	next := make(chan *run)
	for range min(runtime.GOMAXPROCS(0), len(runs)) {
		workers.Go(func() {
			for r := range next {
				report, err := sim.Run(r.plan.Scenario, r.seed)
				lock.Lock()
				r.report = report
				if err != nil && failure == nil {
					failure = err
				}
				done()
				lock.Unlock()
			}
		})
	}
	for i := range runs {
		next <- &runs[i]
	}
	close(next)
	workers.Wait()
	return runs, failure
}
