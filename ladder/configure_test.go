package ladder

import (
	"testing"
	"time"
)

// TestConfigure: tiers keep their state by name.
func TestConfigure(t *testing.T) {
	l := New(checkout())
	l.Observe(time.Second, 500*ms)
	l.Observe(2*time.Second, 500*ms)
	l.Override(3*time.Second, 3, On)
	c := checkout()
	c.Tiers = []Tier{{Name: "new", On: 100 * ms}, c.Tiers[1], c.Tiers[3]}
	l.Configure(4*time.Second, c)
	if got := l.Plan().On(); got != 7 {
		t.Errorf("on: %b, want the new one, which comes before one that is on, and both others", got)
	}
	s := l.Status(5 * time.Second)
	if s.Tiers[1].Total != 3*time.Second || s.Tiers[2].Mode != On || s.Tiers[0].Since != 4*time.Second || s.Changes != 3 {
		t.Errorf("%+v", s)
	}
	l.Override(5*time.Second, 2, Auto)
	l.Observe(6*time.Second, 0)
	for at := l.Next(); at != never; at = l.Next() {
		l.Observe(at, 0)
	}
	if l.Plan().On() != 0 {
		t.Errorf("in the end all are off: %b", l.Plan().On())
	}
}
