// Package wait waits, in tests on real sockets, for what is about to be so.
package wait

import (
	"testing"
	"time"
)

// Patience bounds every wait of such tests: none of them expects to get near it.
const Patience = 30 * time.Second

// Until waits for a condition, which it looks at every millisecond. When
// [Patience] is over the test fails, with what is so instead; state may be nil.
func Until(t testing.TB, what string, done func() bool, state func() any) {
	t.Helper()
	again := time.NewTicker(time.Millisecond)
	defer again.Stop()
	vain := time.After(Patience)
	for !done() {
		select {
		case <-again.C:
		case <-vain:
			if state == nil {
				t.Fatalf("waited in vain until %s", what)
			}
			t.Fatalf("waited in vain until %s: %+v", what, state())
		}
	}
}
