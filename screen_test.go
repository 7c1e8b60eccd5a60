package plimsoll

import (
	"context"
	"testing"

	"github.com/plimsoll-go/plimsoll/class"
	"github.com/plimsoll-go/plimsoll/limit"
)

// Screen refuses what Acquire would refuse without a look, and counts it; of
// anything else it leaves no trace.
func TestScreen(t *testing.T) {
	ctx := context.Background()
	g, err := New(Config{Limit: limit.NewFixed(1), MaxQueue: -1})
	if err != nil {
		t.Fatal(err)
	}
	if r := g.Screen(ctx, Work{}); r != nil {
		t.Fatalf("of an idle gate: %v", r)
	}
	ticket, err := g.Acquire(ctx, Work{})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := g.Acquire(ctx, Work{}); err == nil {
		t.Fatal("a second one was admitted")
	}
	for _, w := range []Work{{}, {Criticality: class.CriticalPlus, Tenant: "a"}} {
		if r := g.Screen(ctx, w); r == nil || r.Reason != Busy || r.Criticality != w.Criticality.OrDefault() {
			t.Errorf("of a full gate: %v", r)
		}
	}
	ticket.Release(Success)
	if r := g.Screen(ctx, Work{}); r != nil {
		t.Errorf("of a gate with a free slot: %v", r)
	}
	var arrived, refused uint64
	s := g.Snapshot()
	for i := range s.Classes {
		arrived, refused = arrived+s.Classes[i].Arrived, refused+s.Classes[i].RefusedTotal()
	}
	if arrived != 4 || refused != 3 {
		t.Errorf("%d arrived and %d were refused, want 4 and 3", arrived, refused)
	}
}
