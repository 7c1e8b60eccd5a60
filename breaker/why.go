package breaker

import "fmt"

// Cause is why a [Breaker] opened.
type Cause uint8

// The causes.
const (
	Never       Cause = iota // it has not opened yet
	InRow                    // failures in a row
	TooManyFail              // the share of failures
	TooManySlow              // the share of slow attempts, those that hang included
	ProbeFailed              // a probe failed
	ProbeSlow                // a probe was slow, or hangs
)

var causeNames = [...]string{"never", "in_row", "failures", "slow", "probe_failed", "probe_slow"}

// String returns the cause as metrics have it.
func (c Cause) String() string {
	if int(c) < len(causeNames) {
		return causeNames[c]
	}
	return "unknown"
}

// Why is why a [Breaker] opened the last time: the cause, and its figures.
type Why struct {
	Cause   Cause
	Bad, Of uint64 // so many were bad, of so many that counted; Of is 0 for InRow
}

// String says it in words; empty: it has not opened.
func (w Why) String() string {
	switch w.Cause {
	case InRow:
		return fmt.Sprintf("%d failures in a row", w.Bad)
	case TooManyFail:
		return fmt.Sprintf("%d of %d failed", w.Bad, w.Of)
	case TooManySlow:
		return fmt.Sprintf("%d of %d were slow", w.Bad, w.Of)
	case ProbeFailed:
		return "a probe failed"
	case ProbeSlow:
		return "a probe was slow"
	}
	return ""
}
