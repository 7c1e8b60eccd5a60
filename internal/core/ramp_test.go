package core

import (
	"testing"
	"time"

	"github.com/plimsoll-go/plimsoll/limit"
)

// TestRampUnderLoad: arrivals at the very times at which the ramp rises, and
// just after, before the timer gets its turn, do not hold it back.
func TestRampUnderLoad(t *testing.T) {
	for _, late := range []time.Duration{0, 1} {
		m := New(Resolve(Config{Limit: limit.NewFixed(100), MaxWait: time.Second, MaxQueue: 10}))
		m.Recover(0, 10*time.Second)
		for now := time.Duration(0); now < 5*time.Second; now += 200 * time.Millisecond {
			m.Arrive(now+late, &Waiter{NoWait: true})
			for m.Next() <= now+late {
				m.Advance(now + late)
			}
		}
		if s := m.Status(5 * time.Second); s.Slots < 45 || s.Slots > 50 {
			t.Errorf("%v late: %d slots half-way, want 48", late, s.Slots)
		}
	}
}
