package retry

import (
	"strings"
	"testing"
	"time"

	"github.com/plimsoll-go/plimsoll/class"
)

func TestHedgeDecides(t *testing.T) {
	slow := Slow{Attempts: 1, Deadline: class.Forever}
	with := func(change func(*Slow)) Slow {
		s := slow
		change(&s)
		return s
	}
	for name, tc := range map[string]struct {
		s      Slow
		config HedgeConfig
		policy Policy
		want   bool
	}{
		"takes long":                  {slow, HedgeConfig{}, Policy{}, true},
		"has one beside it":           {with(func(s *Slow) { s.Attempts, s.Beside = 2, 1 }), HedgeConfig{}, Policy{}, false},
		"may have two":                {with(func(s *Slow) { s.Attempts, s.Beside = 2, 1 }), HedgeConfig{Extra: 2}, Policy{}, true},
		"may have two, of two in all": {with(func(s *Slow) { s.Attempts, s.Beside = 2, 1 }), HedgeConfig{Extra: 2}, Policy{Attempts: 2}, false},
		"one is all":                  {slow, HedgeConfig{}, Policy{Attempts: 1}, false},
		"was told to stop":            {with(func(s *Slow) { s.Stopped = true }), HedgeConfig{}, Policy{}, false},
		"the breaker is not closed":   {with(func(s *Slow) { s.Unwell = true }), HedgeConfig{}, Policy{}, false},
		"in time":                     {with(func(s *Slow) { s.Deadline, s.Need = time.Second+30*ms, 20*ms }), HedgeConfig{}, Policy{}, true},
		"too late":                    {with(func(s *Slow) { s.Deadline, s.Need = time.Second+20*ms, 20*ms }), HedgeConfig{}, Policy{}, false},
		"the deadline is over":        {with(func(s *Slow) { s.Deadline = 1 }), HedgeConfig{}, Policy{}, false},
	} {
		h, b := NewHedge(tc.config), NewBudget(BudgetConfig{Reserve: 1})
		got := tc.policy.Hedge(time.Second, tc.s, h, b)
		if left := b.Balance(time.Second); got != tc.want || left != 10 || h.Begun() != 0 {
			t.Errorf("%s: %v, and %v retries are left before it is sent", name, got, left)
		}
		if got {
			h.Begin(time.Second, b)
		}
		want := 10.0
		if tc.want {
			want--
		}
		if left := b.Balance(time.Second); left != want {
			t.Errorf("%s: %v retries are left, want %v", name, left, want)
		}
	}
}

// TestHedgeTimeline: one thing after another, at a destination of its own.
func TestHedgeTimeline(t *testing.T) {
	const no, yes = false, true
	h, p, b := NewHedge(HedgeConfig{}), Policy{}, NewBudget(BudgetConfig{Share: 0.1})
	delay := func(at time.Duration, least, most time.Duration) func() {
		return func() {
			t.Helper()
			if d, known := h.Delay(at); d < least || d > most || known != (most > 0) {
				t.Errorf("at %v the delay is %v, known: %v; want %v to %v", at, d, known, least, most)
			}
		}
	}
	took := func(at time.Duration, n int, d time.Duration) func() {
		return func() {
			for range n {
				b.Request(at)
				h.Took(at, d)
			}
		}
	}
	asks := func(at time.Duration, want bool) func() {
		return func() {
			t.Helper()
			got := p.Hedge(at, Slow{Attempts: 1, Deadline: class.Forever}, h, b)
			if got != want {
				t.Errorf("at %v: %v", at, got)
			}
			if got {
				h.Begin(at, b)
			}
		}
	}
	refused := func(at, pushback time.Duration) func() { return func() { h.Overloaded(at, pushback) } }
	const s = time.Second
	for _, step := range []func(){
		delay(0, 0, 0), asks(0, no), // no request, and so no budget
		took(0, 90, 10*ms), delay(s, 0, 0), // five have not been slower
		took(s, 6, 50*ms), delay(s, 0, 0),
		took(s, 32, 10*ms), delay(s, 9*ms, 11*ms),
		took(2*s, 20, 100*ms), took(2*s, 12, 50*ms), delay(2*s, 97*ms, 103*ms),
		asks(2*s, yes), asks(2*s, yes),
		refused(2*s, NoRetry), asks(3*s-1, no), asks(3*s, yes),
		refused(3*s, 0), refused(3*s, 5*s), refused(4*s, 0), asks(8*s-1, no), asks(8*s, yes),
		took(9*s, 20, 10*ms), asks(9*s, yes), asks(9*s, yes), // a tenth of what the window has
		refused(10*s, class.Forever), took(300*s, 100, 10*ms), asks(300*s, no), took(310*s, 100, 10*ms), asks(310*s, yes),
		took(311*s, 96, 20*ms), delay(340*s, 19*ms, 21*ms), // of this window and the last
		delay(371*s, 0, 0), delay(1, 0, 0), // and are forgotten, whatever a clock says that runs backwards
	} {
		step()
	}
}

// TestHedgeBudget: a destination that has become slow altogether gets a tenth
// more, not twice as much.
func TestHedgeBudget(t *testing.T) {
	h, p, b := NewHedge(HedgeConfig{After: 10 * ms}), Policy{}, NewBudget(BudgetConfig{})
	for i := range 10000 {
		now := time.Duration(i) * ms
		b.Request(now)
		if p.Hedge(now, Slow{Attempts: 1, Deadline: class.Forever}, h, b) {
			h.Begin(now, b)
		}
	}
	if n := h.Begun(); n > 1000 || n < 990 {
		t.Errorf("%d of 10000 have one beside them", n)
	}
	if d, known := h.Delay(0); d != 10*ms || !known {
		t.Errorf("the delay is %v", d)
	}
}

func TestHedgeConfigFaults(t *testing.T) {
	err := HedgeConfig{After: -1, Quantile: 1, Extra: -1, Quiet: -1}.Validate()
	for _, field := range []string{"After", "Quantile", "Extra", "Quiet"} {
		if err == nil || !strings.Contains(err.Error(), "Hedge."+field) {
			t.Errorf("no fault of %s in %v", field, err)
		}
	}
	if err := (HedgeConfig{}).Validate(); err != nil {
		t.Error(err)
	}
}
