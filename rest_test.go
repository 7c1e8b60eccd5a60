package plimsoll

import (
	"context"
	"os"
	"runtime"
	"testing"
	"time"
)

// newGate makes a gate, and at the end of the test holds that it came to rest.
func newGate(t *testing.T, c Config) *Gate {
	t.Helper()
	g, err := New(c)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { atRest(t, g) })
	return g
}

// atRest holds that nothing is in flight, nobody waits, and that every arrival
// had exactly one outcome.
func atRest(t *testing.T, g *Gate) {
	t.Helper()
	s := g.Snapshot()
	if s.InFlight != 0 || s.Depth != 0 || s.Streams != 0 {
		t.Errorf("at rest: %d in flight, %d waiting, %d streams", s.InFlight, s.Depth, s.Streams)
	}
	for lane := range s.Classes {
		c := &s.Classes[lane]
		var ended uint64
		for _, n := range c.Outcomes {
			ended += n
		}
		if c.Arrived != c.Admitted+c.RefusedTotal() || c.Admitted != ended {
			t.Errorf("lane %d: arrived %d, admitted %d (of which ended %d), refused %d", lane, c.Arrived, c.Admitted, ended, c.RefusedTotal())
		}
		if c.Outcomes[Success] != c.Goodput+c.Late {
			t.Errorf("lane %d: %d successes, %d good and %d late", lane, c.Outcomes[Success], c.Goodput, c.Late)
		}
	}
}

// fullCapacity holds that n slots can be had in a row, and no more.
func fullCapacity(t *testing.T, g *Gate, n int) {
	t.Helper()
	var held []Ticket
	for i := range n + 1 {
		ticket, err := g.TryAcquire(context.Background(), Work{})
		if (err == nil) != (i < n) {
			t.Errorf("slot %d of %d: %v", i+1, n, err)
		}
		if err == nil {
			held = append(held, ticket)
		}
	}
	for _, ticket := range held {
		ticket.Release(Ignored)
	}
}

// TestMain holds that no test leaves a goroutine behind.
func TestMain(m *testing.M) {
	before := runtime.NumGoroutine()
	code := m.Run()
	if code == 0 && !settled(before) {
		buf := make([]byte, 1<<20)
		println(string(buf[:runtime.Stack(buf, true)]))
		println("plimsoll: goroutines were left behind")
		code = 1
	}
	os.Exit(code)
}

// settled lets goroutines that are on their way out go.
func settled(want int) bool {
	for until := time.Now().Add(5 * time.Second); time.Now().Before(until); runtime.Gosched() {
		if runtime.NumGoroutine() <= want {
			return true
		}
	}
	return false
}
