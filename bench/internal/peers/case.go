package peers

import (
	"fmt"
	"sync"
)

// Case is one limiter in one situation.
type Case struct {
	// Name is what a table calls it.
	Name string
	// Start sets the situation up. The loop does n operations and returns how
	// many went as they should; many goroutines may run it at a time. Stop ends
	// the situation, once no loop runs.
	Start func() (loop func(n int) int, stop func(), err error)
}

// Names of the cases that others are compared with, and of those that have
// targets.
const (
	Floor          = "floor: CAS and two clock reads"
	Adaptive       = "failsafe-go adaptive limiter"
	AdaptiveFull   = "failsafe-go adaptive limiter, full"
	Gate           = "plimsoll, limit found"
	RefusedLevel   = "plimsoll, below the admission level"
	RefusedMachine = "plimsoll, by the machine"
	Client         = "plimsoll client"
	Executor       = "failsafe-go: retries, breaker, bulkhead"
)

// Batch does n operations with a loop, spread over so many goroutines that
// start together, inside run. It reports operations that went wrong: a figure
// for a limiter that admits is worth nothing when it refused.
func Batch(loop func(n int) int, n, goroutines int, run func(ops int, f func())) error {
	if goroutines <= 1 {
		var did int
		run(n, func() { did = loop(n) })
		return wrong(n, did)
	}
	each := max(1, n/goroutines)
	done := make([]int, goroutines)
	start := make(chan struct{})
	var wg sync.WaitGroup
	for i := range done {
		wg.Go(func() {
			<-start
			done[i] = loop(each)
		})
	}
	run(each*goroutines, func() {
		close(start)
		wg.Wait()
	})
	did := 0
	for _, d := range done {
		did += d
	}
	return wrong(each*goroutines, did)
}

func wrong(want, did int) error {
	if did != want {
		return fmt.Errorf("%d of %d operations went as they should", did, want)
	}
	return nil
}
