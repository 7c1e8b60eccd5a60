package core

import (
	"testing"
	"time"

	"github.com/plimsoll-go/plimsoll/class"
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

// TestRampOfALimitThatDoesNotBind: it rises to what was in use, and then the
// whole limit is there; a second one on top of it goes where the first went.
func TestRampOfALimitThatDoesNotBind(t *testing.T) {
	m := New(Resolve(Config{Limit: limit.NewFixed(1000), MaxWait: time.Second}))
	var held []*Waiter
	for range 50 {
		w := new(Waiter)
		w.Item.Rank, w.Item.Deadline = class.RankOf(class.Critical, 0), Never
		m.Arrive(0, w)
		held = append(held, w)
	}
	m.Recover(0, 10*time.Second)
	slots := func(now time.Duration) int {
		for m.Next() <= now {
			m.Advance(m.Next())
		}
		return m.Status(now).Slots
	}
	for _, c := range []struct {
		at   time.Duration
		want int
	}{{time.Second, 5}, {5 * time.Second, 25}, {9 * time.Second, 45}} {
		if got := slots(c.at); got != c.want {
			t.Errorf("at %v: %d slots, want %d", c.at, got, c.want)
		}
	}
	for _, w := range held[1:] {
		m.Finish(9*time.Second, w, Abandoned)
	}
	m.Recover(9*time.Second, 10*time.Second)
	if got := slots(14 * time.Second); got != 25 {
		t.Errorf("half-way through the second: %d slots, want 25", got)
	}
	if got := slots(19 * time.Second); got != 1000 {
		t.Errorf("after it: %d slots, want 1000", got)
	}
	m.Finish(20*time.Second, held[0], Success)
}
