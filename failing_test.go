package plimsoll

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/plimsoll-go/plimsoll/ladder"
)

// TestToldLate: a change of mind about a fallback that is told late, after the
// next one or after a person had it forgotten, does not keep its tier switched off.
func TestToldLate(t *testing.T) {
	g := newGate(t, Config{Ladder: &ladder.Config{Tiers: []ladder.Tier{{Name: "reviews", On: 100 * time.Millisecond}}, NoExercise: true}})
	if err := g.Override("reviews", ladder.On); err != nil {
		t.Fatal(err)
	}
	run := func(n int, err error) {
		for range n {
			_ = g.Do(t.Context(), Work{}, func(ctx context.Context) error {
				return ladder.Do(ctx, "reviews", func(context.Context) error { return nil }, func(context.Context) error { return err })
			})
		}
	}
	want := func(failing bool) {
		t.Helper()
		if s := g.Snapshot().Ladder.Tiers[0]; s.Failing != failing || s.Work.Failing != failing {
			t.Errorf("the gate takes it to fail: %v, its book: %v, want %v", s.Failing, s.Work.Failing, failing)
		}
	}
	run(30, errors.New("broken"))
	want(true)
	g.fallbackFails("reviews", false) // of before it began to fail
	want(true)
	run(60, nil)
	want(false)
	g.fallbackFails("reviews", true) // of before it was good again
	want(false)
	g.fallbackFails("images", true) // of a tier that is no more
}
