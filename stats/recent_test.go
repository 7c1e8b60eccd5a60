package stats

import (
	"math/rand/v2"
	"testing"
	"time"
)

// TestRecent: what is counted against the list of all that was counted.
func TestRecent(t *testing.T) {
	type event struct {
		at   time.Duration
		kind int
	}
	for _, window := range []time.Duration{0, 1, 7 * time.Nanosecond, time.Second, time.Hour} {
		r, events, now := Recent{Window: window}, []event(nil), time.Duration(0)
		random := rand.New(rand.NewPCG(1, uint64(window)))
		length := window
		if length == 0 {
			length = DefaultRecentWindow
		}
		step := max(length/RecentSlices, 1)
		for range 1000 {
			last := now
			now += time.Duration(random.Int64N(int64(step)*2 + 1))
			if random.IntN(100) == 0 {
				now += 3 * length
			}
			kind := random.IntN(RecentKinds)
			at := now
			if random.IntN(10) == 0 {
				at -= length / 2 // backwards: no time has passed
			}
			r.Count(at, kind)
			events = append(events, event{max(at, last), kind})
			for kind := range RecentKinds {
				var want uint64
				for _, e := range events {
					if e.kind == kind && now/step-e.at/step < RecentSlices {
						want++
					}
				}
				if got := r.Sum(now, kind); got != want {
					t.Fatalf("window %v at %v: %d of kind %d, want %d", window, now, got, kind, want)
				}
			}
		}
		r.Forget()
		if r.Sum(now, 0)+r.Sum(now, 1)+r.Sum(now, 2) != 0 || r.Window != window {
			t.Errorf("window %v: %+v after it has forgotten", window, r)
		}
	}
}
