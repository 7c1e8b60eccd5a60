package httpgate

import (
	"testing"
	"time"
)

// TestB19HintsStaySpreadAtTheirBound: a gate spreads its hints over an octave,
// and what of that lies beyond the longest hint stays spread below it.
func TestB19HintsStaySpreadAtTheirBound(t *testing.T) {
	b := prepareBackoff(30 * time.Second)
	fine, whole := map[string]bool{}, map[string]bool{}
	for i := range 16 {
		hint := time.Minute + time.Duration(i)*time.Minute/16
		fine[b.millis(hint)[0]] = true
		whole[b.seconds(hint)[0]] = true
	}
	if len(fine) < 8 || len(whole) < 8 {
		t.Errorf("16 hints between 1m and 2m, cut to 30s, are %d different ones in milliseconds, %d in seconds", len(fine), len(whole))
	}
}
