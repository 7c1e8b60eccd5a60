package arena

// Verdict is whether a target is met.
type Verdict uint8

// The verdicts, the best first.
const (
	Met Verdict = iota
	Undecided
	Missed
)

// String is how tables show it: what needs a look is in capitals.
func (v Verdict) String() string { return [...]string{"met", "undecided", "MISSED"}[v] }

// verdictOf is that of a figure that nobody doubts.
func verdictOf(met bool) Verdict {
	if met {
		return Met
	}
	return Missed
}
