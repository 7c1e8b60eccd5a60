package main

import (
	"math"
	"testing"
	"testing/synctest"
	"time"

	"github.com/failsafe-go/failsafe-go/adaptivelimiter"

	"github.com/plimsoll-go/plimsoll/sim/peers"
)

// TestFailsafePeer runs the simulator's opponent beside failsafe-go's own
// limiter: the same requests at the same times, to a backend that slows down
// with what is in flight, is overloaded, becomes slower and heals. A digest's
// percentile is not quite that of the samples, so that a step may come a window
// earlier or later; the limits may differ by a step or two, not in what they do.
func TestFailsafePeer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		theirs := adaptivelimiter.NewBuilder[any]().Build()
		ours := peers.NewFailsafe(1)
		type flight struct {
			end    time.Duration
			permit adaptivelimiter.Permit
			began  time.Duration
			beside int
		}
		var (
			flights []flight
			begin   = time.Now()
			now     time.Duration
			worst   float64
			steps   int
			least   = ours.Limit()
			most    = least
		)
		until := func(at time.Duration) {
			time.Sleep(at - now) // the bubble's clock
			now = time.Since(begin)
		}
		for arrival := time.Duration(0); arrival < 150*time.Second; arrival += 4 * time.Millisecond {
			for len(flights) > 0 && flights[0].end <= arrival {
				f := flights[0]
				flights = flights[1:]
				until(f.end)
				full := !theirs.CanAcquirePermit()
				before := theirs.Limit()
				f.permit.Record()
				ours.Record(now, now-f.began, f.beside, full)
				if theirs.Limit() != before {
					steps++
				}
				worst = max(worst, math.Abs(float64(theirs.Limit()-ours.Limit())))
				least, most = min(least, theirs.Limit()), max(most, theirs.Limit())
			}
			until(arrival)
			permit, ok := theirs.TryAcquirePermit()
			if !ok {
				continue
			}
			n := theirs.Inflight()
			took := 20 * time.Millisecond
			switch {
			case now > 60*time.Second && now < 90*time.Second:
				took = 200 * time.Millisecond
			case now > 100*time.Second && now < 130*time.Second:
				took = 80 * time.Millisecond
			}
			took += time.Duration(n) * time.Millisecond * time.Duration(1+arrival/(7*time.Millisecond)%3)
			f := flight{end: now + took, permit: permit, began: now, beside: n}
			i := len(flights)
			for i > 0 && flights[i-1].end > f.end {
				i--
			}
			flights = append(flights[:i], append([]flight{f}, flights[i:]...)...)
		}
		for _, f := range flights {
			f.permit.Drop()
		}
		t.Logf("%d steps between %d and %d, never further apart than %.0f", steps, least, most, worst)
		if steps < 50 || most < 2*least || worst > 3 {
			t.Errorf("%d steps between %d and %d, apart by up to %.0f: want many, and at most 3", steps, least, most, worst)
		}
	})
}
