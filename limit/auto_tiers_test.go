package limit_test

import (
	"testing"
	"time"

	"github.com/plimsoll-go/plimsoll/limit"
	"github.com/plimsoll-go/plimsoll/stats"
)

// calmly is twenty seconds in which 200 a second hold their slot for so long.
func calmly(a *limit.Auto, n limit.Next, start time.Duration, tiers uint32, held time.Duration) (limit.Next, time.Duration) {
	_, n, end := feed(a, n, start, 200, func(w *limit.Window) {
		w.Tiers = tiers
		w.MaxInFlight = min(1+int(200*held/sec), w.Limit)
		w.Completed, w.Good = 20, 20
		w.Uncontended.AddN(stats.BucketOf(held), 20)
	})
	return n, end
}

// TestAutoRemembersTiers: what an answer takes in calm is known again when the
// same tiers are on as once before, and the limit is at once what the load takes
// then; of more than are remembered, those of long ago are forgotten.
func TestAutoRemembersTiers(t *testing.T) {
	a := limit.NewAuto(limit.AutoConfig{Initial: 100})
	n, now := calmly(a, a.Start(), 0, 0, 400*ms)
	whole := a.Baseline()
	if whole < 350*ms {
		t.Fatalf("baseline %v, want 400 ms", whole)
	}
	n, now = calmly(a, n, now, 1, 10*ms)
	if got := a.Baseline(); got > 60*ms {
		t.Errorf("baseline %v with the tier on, want about 10 ms", got)
	}
	_, n, now = feed(a, n, now, 1, func(w *limit.Window) { w.Tiers = 0 })
	if got := a.Baseline(); got != whole || n.Limit < 110 || n.Saturated {
		t.Errorf("back to whole answers: baseline %v, %+v; want %v and half as many slots again as the 80 that it takes, and no verdict on them", got, n, whole)
	}
	for mask := uint32(1); mask < 40; mask++ {
		n, now = calmly(a, n, now, mask, 10*ms)
	}
	feed(a, n, now, 1, func(w *limit.Window) { w.Tiers = 0 })
	if got := a.Baseline(); got != 0 {
		t.Errorf("baseline %v of long ago, want it forgotten", got)
	}
}
