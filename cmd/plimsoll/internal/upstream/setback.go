package upstream

import (
	"math"
	"time"
)

// setback is how much an endpoint refused or failed lately, in requests.
// Each counts as one that is still in flight there, and fades.
type setback struct {
	weight float64
	at     time.Duration
	hold   time.Duration
}

// The bounds of the time in which a setback fades to about a third.
const (
	minHold = time.Second
	maxHold = 30 * time.Second

	// faded is a weight of no account. Without it, an endpoint of an idle
	// service would never be tried again after a single refusal.
	faded = 0.1

	// holdMeans is how many times the mean time of an answer a setback holds.
	// An endpoint that refuses everything at once and one that answers after s
	// have the same load when the first gets s/hold of what the second gets.
	holdMeans = 10
)

// holdFor is how long a setback counts: as long as the endpoint asked for, or
// long against the time of an answer, within bounds.
func holdFor(after, mean time.Duration) time.Duration {
	return min(max(after, holdMeans*mean, minHold), maxHold)
}

// add counts one more.
func (s *setback) add(now, hold time.Duration) {
	s.weight, s.at, s.hold = s.now(now)+1, now, hold
}

// now is what is left.
func (s *setback) now(now time.Duration) float64 {
	if s.weight == 0 {
		return 0
	}
	left := s.weight * math.Exp(-float64(max(0, now-s.at))/float64(s.hold))
	if left < faded {
		return 0
	}
	return left
}
