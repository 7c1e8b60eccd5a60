package recovery

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/plimsoll-go/plimsoll"
	"github.com/plimsoll-go/plimsoll/limit"
)

// Every row is one second: what was good and wasted within it, whether the gate
// was busy, and whether it is stuck then. After 3 s below 20 %, ramp 2 s.
func TestStuck(t *testing.T) {
	type second struct {
		good, wasted uint64
		busy, stuck  bool
	}
	idle, fine, bad, still := second{}, second{80, 20, true, false}, second{1, 99, true, false}, second{0, 0, true, false}
	now := func(s second) second { s.stuck = true; return s }
	for name, timeline := range map[string][]second{
		"healthy":                       {fine, fine, fine, fine, fine, fine},
		"idle":                          {idle, idle, idle, idle, idle, idle},
		"stuck":                         {fine, bad, bad, bad, now(bad), idle, idle, idle},
		"stuck for good, tried again":   {bad, bad, bad, now(bad), bad, bad, bad, bad, now(bad)},
		"one good second":               {bad, bad, bad, fine, bad, bad, bad, now(bad)},
		"not busy":                      {{1, 99, false, false}, {1, 99, false, false}, {1, 99, false, false}, {1, 99, false, false}, {1, 99, false, false}},
		"busy at times":                 {bad, bad, bad, {1, 99, false, false}, bad, bad, bad, now(bad)},
		"nothing ends in between":       {bad, still, still, now(still)},
		"nothing ends at all":           {still, still, still, still, still, still},
		"too few to say":                {{0, 2, true, false}, {0, 2, true, false}, {0, 2, true, false}, {0, 2, true, false}, {0, 2, true, true}},
		"exactly the share":             {{20, 80, true, false}, {20, 80, true, false}, {20, 80, true, false}, {20, 80, true, false}, {20, 80, true, false}},
		"just below the share":          {{19, 81, true, false}, {19, 81, true, false}, {19, 81, true, false}, {19, 81, true, true}},
		"errors of the service are not": {{0, 0, true, false}, {0, 0, true, false}, {0, 0, true, false}, {0, 0, true, false}},
	} {
		var w Watch
		var s Sample
		r := Rule{After: 3 * time.Second, Below: 0.2, Ramp: 2 * time.Second}
		w.Stuck(0, r, s)
		for i, row := range timeline {
			s.Good, s.Wasted, s.Busy = s.Good+row.good, s.Wasted+row.wasted, row.busy
			if got := w.Stuck(time.Duration(i+1)*time.Second, r, s); got != row.stuck {
				t.Errorf("%s, second %d: %v", name, i+1, got)
			}
		}
	}
}

// Counters that have fallen are those of another gate.
func TestAnotherGateOfTheName(t *testing.T) {
	var w Watch
	r := Rule{After: time.Second, Below: 0.2}
	for i, s := range []Sample{{0, 100, true}, {0, 200, true}, {0, 10, true}, {0, 20, true}} {
		if w.Stuck(time.Duration(i)*time.Second, r, s) {
			t.Errorf("stuck at %d", i)
		}
	}
	if !w.Stuck(4*time.Second, r, Sample{0, 30, true}) {
		t.Error("not stuck")
	}
}

// What is good and what is wasted, of a gate's own counters.
func TestSampleOf(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g, err := plimsoll.New(plimsoll.Config{Limit: limit.NewFixed(2)})
		if err != nil {
			t.Fatal(err)
		}
		for _, o := range []plimsoll.Outcome{
			plimsoll.Success, plimsoll.Failed, plimsoll.TimedOut, plimsoll.Overloaded, plimsoll.Abandoned, plimsoll.Ignored,
		} {
			ticket, err := g.Acquire(context.Background(), plimsoll.Work{})
			if err != nil {
				t.Fatal(err)
			}
			ticket.Release(o)
		}
		ticket, err := g.Acquire(context.Background(), plimsoll.Work{Deadline: time.Now().Add(time.Second)})
		if err != nil {
			t.Fatal(err)
		}
		time.Sleep(2 * time.Second)
		ticket.Release(plimsoll.Success) // late
		s := g.Snapshot()
		if got := SampleOf(&s); got != (Sample{Good: 1, Wasted: 3, Busy: true}) {
			t.Errorf("%+v", got)
		}
	})
}
