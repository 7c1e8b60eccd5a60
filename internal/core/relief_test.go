package core

import (
	"testing"
	"time"

	"github.com/plimsoll-go/plimsoll/class"
	"github.com/plimsoll-go/plimsoll/ladder"
	"github.com/plimsoll-go/plimsoll/limit"
)

// TestRelief: while a tier is off, a surge that fills the queue is not refused,
// and the tiers go on a dwell apart; once all are on the bound in time holds.
func TestRelief(t *testing.T) {
	const ms = time.Millisecond
	m := New(Resolve(Config{
		Limit: limit.NewFixed(1), ServiceTime: 10 * ms, MaxWait: 500 * ms,
		Ladder: &ladder.Config{Tiers: []ladder.Tier{{Name: "a", On: 100 * ms}, {Name: "b", On: 200 * ms}}, NoExercise: true},
	}))
	arrive := func(at, left time.Duration) Decision {
		w := &Waiter{}
		w.Item.Rank, w.Item.Deadline = class.RankOf(class.Critical, 0), Never
		if left > 0 {
			w.Item.Deadline = at + left
		}
		d, _ := m.Arrive(at, w)
		return d
	}
	for i := range 200 { // 2 s of work at once, where 500 ms may wait
		if d := arrive(time.Second, 0); d.Verdict == Refused {
			t.Fatalf("arrival %d is refused with %v", i, d.Reason)
		}
	}
	if got := m.Transitions(); len(got) != 1 || got[0].Name != "a" || got[0].Delay() != 110*ms {
		t.Errorf("transitions %+v", got)
	}
	if d := arrive(time.Second, 5*ms); d.Reason != Hopeless {
		t.Errorf("no time is left for its service: %+v", d)
	}
	if d := arrive(time.Second, 300*ms); d.Verdict != Waiting {
		t.Errorf("the drain rate is about to rise: %+v", d)
	}
	if next := m.Next(); next > 1250*ms {
		t.Errorf("next %v, want the end of the dwell", next)
	}
	m.Advance(1250 * ms)
	if got := m.Transitions(); len(got) != 1 || got[0].Name != "b" {
		t.Errorf("transitions %+v", got)
	}
	if d := arrive(1250*ms, 0); d.Reason != QueueFull {
		t.Errorf("every tier is on: %+v", d)
	}
}
