// Package rest holds, in tests, that gates and clients are at rest when all is
// over: nothing is held, nobody waits, and everything has ended once.
package rest

import (
	"testing"

	"github.com/plimsoll-go/plimsoll"
	"github.com/plimsoll-go/plimsoll/client"
	"github.com/plimsoll-go/plimsoll/internal/wait"
	"github.com/plimsoll-go/plimsoll/retry"
)

// Gate waits until g is at rest, and holds that every arrival has exactly one
// outcome.
func Gate(t testing.TB, g *plimsoll.Gate) {
	t.Helper()
	var s plimsoll.Snapshot
	wait.Until(t, "the gate is at rest", func() bool {
		s = g.Snapshot()
		return s.InFlight == 0 && s.Depth == 0 && s.Streams == 0
	}, func() any { return s })
	for lane := range s.Classes {
		c := &s.Classes[lane]
		var ended uint64
		for _, n := range c.Outcomes {
			ended += n
		}
		if c.Arrived != c.Admitted+c.RefusedTotal() {
			t.Errorf("lane %d: %d arrived, %d admitted, %d refused", lane, c.Arrived, c.Admitted, c.RefusedTotal())
		}
		if ended != c.Admitted {
			t.Errorf("lane %d: %d admitted, %d ended", lane, c.Admitted, ended)
		}
	}
}

// Counts adds up the classes of a gate.
func Counts(g *plimsoll.Gate) (c plimsoll.ClassSnapshot) {
	for _, s := range g.Snapshot().Classes {
		c.Arrived += s.Arrived
		c.Admitted += s.Admitted
		c.Goodput += s.Goodput
		c.Late += s.Late
		for i, n := range s.Refused {
			c.Refused[i] += n
		}
		for i, n := range s.Outcomes {
			c.Outcomes[i] += n
		}
	}
	return c
}

// Client makes a client that is at rest when the test ends. Without a budget in
// c it has one that no test runs out of.
func Client(t testing.TB, c client.Config) *client.Client {
	t.Helper()
	if c.Budget == nil {
		c.Budget = &retry.BudgetConfig{Share: 100, Reserve: 1000}
	}
	made, err := client.New(c)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if s := made.Status(); s.InFlight != 0 {
			t.Errorf("%d in flight at rest", s.InFlight)
		}
	})
	return made
}
