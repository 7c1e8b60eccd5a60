package wire

import (
	"context"
	"testing"
	"time"

	"github.com/plimsoll-go/plimsoll/class"
)

type valueKey struct{}

// ownContext is what the documentation of Lookup shows.
type ownContext struct {
	context.Context
	tag Tag
}

func (c *ownContext) Value(key any) any {
	if v, ok := c.tag.Lookup(key); ok {
		return v
	}
	return c.Context.Value(key)
}

func TestContext(t *testing.T) {
	outer := Tag{Criticality: class.Sheddable, Level: 7, Tenant: "acme", Attempt: 2}
	inner := Tag{Criticality: class.CriticalPlus}
	root := context.WithValue(context.Background(), valueKey{}, "kept")
	a := With(root, outer)
	b, cancel := context.WithTimeout(a, time.Hour)
	defer cancel()
	tests := []struct {
		name string
		ctx  context.Context
		want Tag
	}{
		{"none", context.Background(), Tag{}},
		{"its own", a, outer},
		{"inherited by a child", b, outer},
		{"hidden by the inner one", With(b, inner), inner},
		{"a context of one's own", &ownContext{root, inner}, inner},
		{"a context of one's own, above", With(&ownContext{root, inner}, outer), outer},
		{"a context of one's own, below", &ownContext{a, inner}, inner},
	}
	for _, tt := range tests {
		if got := From(tt.ctx); got != tt.want {
			t.Errorf("%s: %+v, want %+v", tt.name, got, tt.want)
		}
		if n := testing.AllocsPerRun(100, func() { From(tt.ctx) }); n != 0 {
			t.Errorf("%s: From allocates %v times", tt.name, n)
		}
		if tt.name != "none" && tt.ctx.Value(valueKey{}) != "kept" {
			t.Errorf("%s: other values are lost", tt.name)
		}
	}
	if n := testing.AllocsPerRun(100, func() { ctxSink = With(root, outer) }); n != 1 {
		t.Errorf("With allocates %v times, want once", n)
	}
}

var ctxSink context.Context

func TestRetry(t *testing.T) {
	for attempt, want := range []bool{false, false, true, true} {
		if got := (Tag{Attempt: attempt}).Retry(); got != want {
			t.Errorf("attempt %d is a retry: %v, want %v", attempt, got, want)
		}
	}
}
