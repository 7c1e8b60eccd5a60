package ladder

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/plimsoll-go/plimsoll/class"
)

const ms = time.Millisecond

// checkout are the tiers of a product page.
func checkout() Config {
	return Config{Tiers: []Tier{
		{Name: "reviews", On: 200 * ms},
		{Name: "recommendations", On: 400 * ms},
		{Name: "inventory", On: 600 * ms},
		{Name: "images", On: 800 * ms},
	}}
}

// TestTimelines: what goes on and off, and when.
func TestTimelines(t *testing.T) {
	type at struct{ from, to int } // the delay from then on, in milliseconds
	for _, tc := range []struct {
		name  string
		delay []at
		until int
		want  string
	}{
		{"calm", []at{{0, 0}}, 60_000, ""},
		{"at the threshold is not above it", []at{{0, 200}}, 60_000, ""},
		{"the first at once", []at{{1000, 201}, {1010, 0}}, 2000, "1000 +reviews"},
		{"each in its turn, a dwell apart", []at{{1000, 900}}, 3000,
			"1000 +reviews, 1250 +recommendations, 1500 +inventory, 1750 +images"},
		{"what is crossed within the dwell goes on at its end", []at{{1000, 201}, {1200, 401}}, 3000,
			"1000 +reviews, 1250 +recommendations"},
		{"what is crossed after it, at once", []at{{1000, 201}, {1300, 401}}, 3000,
			"1000 +reviews, 1300 +recommendations"},
		{"down one at a time, each after the quiet time", []at{{1000, 500}, {1500, 0}}, 20_000,
			"1000 +reviews, 1250 +recommendations, 6500 -recommendations, 11500 -reviews"},
		{"between off and on nothing moves", []at{{1000, 250}, {1100, 150}}, 60_000, "1000 +reviews"},
		{"quiet is in a row", []at{{1000, 250}, {1100, 0}, {6000, 100}, {6001, 99}}, 20_000,
			"1000 +reviews, 11001 -reviews"},
		{"a queue that drains takes no other tier along", []at{{1000, 900}, {1200, 800}, {1450, 700}, {1700, 600}, {1950, 500}, {2200, 390}, {2400, 300}, {2600, 150}}, 5000,
			"1000 +reviews"},
		{"one that drains and rises again does", []at{{1000, 900}, {1100, 300}, {1300, 410}}, 2000,
			"1000 +reviews, 1300 +recommendations"},
		{"one that is stuck does", []at{{1000, 900}, {1200, 850}}, 1300, "1000 +reviews, 1250 +recommendations"},
		{"what has to come back waits for longer", []at{{0, 201}, {1, 0}, {6000, 201}, {6001, 0}, {17_000, 201}, {17_001, 0}}, 100_000,
			"0 +reviews, 5001 -reviews, 6000 +reviews, 16001 -reviews, 17000 +reviews, 37001 -reviews"},
		{"what need not, does not", []at{{0, 201}, {1, 0}, {16_000, 201}, {16_001, 0}}, 100_000,
			"0 +reviews, 5001 -reviews, 16000 +reviews, 21001 -reviews"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			l := New(checkout())
			var got []string
			tell := func(tr Transition, ok bool) {
				if ok {
					got = append(got, fmt.Sprintf("%d %s%s", tr.At/ms, map[bool]string{true: "+", false: "-"}[tr.On], tr.Name))
				}
			}
			delay := time.Duration(0)
			until := func(end time.Duration) {
				for next := l.Next(); next < end; next = l.Next() {
					tell(l.Observe(next, delay))
				}
			}
			for _, d := range tc.delay {
				until(time.Duration(d.from) * ms)
				delay = time.Duration(d.to) * ms
				tell(l.Observe(time.Duration(d.from)*ms, delay))
			}
			until(time.Duration(tc.until) * ms)
			if s := strings.Join(got, ", "); s != tc.want {
				t.Errorf("got  %s\nwant %s", s, tc.want)
			}
		})
	}
}

// TestOverride: a person has the last word, and the ladder climbs past what is
// not in its hands.
func TestOverride(t *testing.T) {
	l := New(checkout())
	on := func(want string) {
		t.Helper()
		var names []string
		for i, n := range l.Plan().Names() {
			if l.Plan().On().Has(i) {
				names = append(names, n)
			}
		}
		if got := strings.Join(names, " "); got != want {
			t.Errorf("on: %q, want %q", got, want)
		}
	}
	l.Override(0, 3, On)
	on("images")
	l.Override(0, 0, Off)
	l.Observe(time.Second, 900*ms)
	on("recommendations images")
	l.Override(time.Second, 1, Off)
	on("images")
	l.Override(time.Second, 1, Auto)
	on("images") // none after it is on by the ladder
	l.Observe(2*time.Second, 900*ms)
	on("recommendations images")
	l.Observe(3*time.Second, 900*ms)
	on("recommendations inventory images")
	if l.Relief() {
		t.Error("there is nothing left that the ladder may switch on")
	}
	l.Override(3*time.Second, 0, Auto) // one after it is on
	on("reviews recommendations inventory images")
	l.Override(3*time.Second, 3, Auto)
	on("reviews recommendations inventory")
	if !l.Relief() {
		t.Error("images may go on")
	}
}

// TestFailing: a tier whose fallback fails goes off and is passed over; it is
// still exercised, comes back when it no longer fails, and a person may use it.
func TestFailing(t *testing.T) {
	c := checkout()
	c.Exercise = 0.25
	l := New(c)
	l.Observe(0, 300*ms)
	if tr, ok := l.Fail(ms, 0, true); !ok || tr.On || tr.Cause != Failing {
		t.Errorf("failing: %+v, %v", tr, ok)
	}
	if d := l.Plan().Decide(class.Critical, 0); d.Exercised != 1 || d.Rung() != 0 || !d.Active("reviews") {
		t.Errorf("while it fails: %+v", d)
	}
	l.Observe(time.Second, 500*ms)
	if got := l.Plan().On(); got != 2 {
		t.Errorf("on: %b, want the second alone", got)
	}
	if tr, ok := l.Fail(2*time.Second, 0, false); !ok || !tr.On {
		t.Errorf("mended, below one that is on: %+v, %v", tr, ok)
	}
	l.Fail(3*time.Second, 0, true)
	if tr, ok := l.Override(3*time.Second, 0, On); !ok || !tr.On || tr.Cause != Switched {
		t.Errorf("by hand: %+v, %v", tr, ok)
	}
	if s := l.Status(3 * time.Second).Tiers[0]; !s.On || !s.Failing || s.Mode != On || s.Ups != 3 {
		t.Errorf("status: %+v", s)
	}
	l.Override(3*time.Second, 0, Auto)
	if s := l.Status(3 * time.Second).Tiers[0]; s.Failing {
		t.Errorf("given back, it is not known to fail: %+v", s)
	}
}

// TestSupply: a ladder may go by a signal of the caller's own.
func TestSupply(t *testing.T) {
	l := New(Config{Tiers: []Tier{{Name: "a", Above: 0.8}, {Name: "b", Above: 0.9, Below: 0.5}}})
	l.Observe(0, time.Hour)
	if l.Plan().On() != 0 {
		t.Error("the delay is none of its business")
	}
	tr, ok := l.Supply(ms, 0.95)
	if !ok || tr.Signal != 0.95 || l.Plan().On() != 1 {
		t.Errorf("above: %+v, %v", tr, ok)
	}
	if next := l.Next(); next != ms+DefaultDwell {
		t.Errorf("next %v", next)
	}
	l.Observe(l.Next(), 0)
	if l.Plan().On() != 3 {
		t.Error("the signal holds until another is supplied")
	}
}

// TestTotal: the time that a tier is on is counted.
func TestTotal(t *testing.T) {
	l := New(checkout())
	l.Observe(time.Second, 300*ms)
	l.Observe(2*time.Second, 0)
	l.Observe(7*time.Second, 0)
	s := l.Status(20 * time.Second)
	if got := s.Tiers[0]; got.On || got.Total != 6*time.Second || got.Since != 7*time.Second || s.Changes != 2 {
		t.Errorf("%+v", s)
	}
}

// TestSpare: who is spared keeps the full answer and is not exercised.
func TestSpare(t *testing.T) {
	c := checkout()
	c.Tiers[0].Spare = []class.Criticality{class.CriticalPlus}
	c.Exercise = 1
	l := New(c)
	l.Observe(0, 300*ms)
	for _, tc := range []struct {
		c     class.Criticality
		draw  uint64
		tiers Mask
	}{
		{class.Sheddable, 0, 1}, {class.Unset, 0, 1}, {class.CriticalPlus, 0, 0},
		{class.CriticalPlus, 1 << 62, 2}, {class.Critical, 1 << 63, 5}, {class.Critical, 3 << 62, 9},
	} {
		if d := l.Plan().Decide(tc.c, tc.draw); d.Tiers != tc.tiers {
			t.Errorf("%v, %x: %b, want %b", tc.c, tc.draw, d.Tiers, tc.tiers)
		}
	}
}
