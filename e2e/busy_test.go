package e2e

import (
	"testing"
	"time"
)

// mostLost is the share of time that may be lost on a machine whose times count.
const mostLost = 0.05

// feel feels a machine's pulse from now on: it returns what stops that, and says
// what share of the time had passed before this process noticed. On a machine that
// has other things to do, that is much.
func feel(t testing.TB) (lost func() float64) {
	const beat = 2 * time.Millisecond
	stop, said := make(chan struct{}), make(chan float64, 1)
	go func() {
		tick := time.NewTicker(beat)
		defer tick.Stop()
		began := time.Now()
		last, missed := began, time.Duration(0)
		for {
			select {
			case <-stop:
				said <- missed.Seconds() / max(time.Since(began), beat).Seconds()
				return
			case <-tick.C:
				now := time.Now()
				missed += max(now.Sub(last)-2*beat, 0)
				last = now
			}
		}
	}()
	ended := false
	lost = func() float64 {
		ended = true
		close(stop)
		return <-said
	}
	t.Cleanup(func() {
		if !ended {
			lost()
		}
	})
	return lost
}
