package sweep

import (
	"math"
	"time"

	"github.com/plimsoll-go/plimsoll/sim"
)

// Recovered is the share of what it could serve that a service has to serve at
// the end of a run.
const Recovered = 0.95

// shrinking is the share of what leaves that may arrive at most while a backlog
// shrinks: closer to all of it than this, noise would decide.
const shrinking = 0.98

// Point is what the runs of one place came to, all seeds together.
type Point struct {
	At   []int // an index on every axis
	Runs int
	Up   int // runs that served what they could at their end
	Lost int // runs that did not, and whose backlog did not shrink either

	Offered, Good, Attempts, Refused uint64

	// Of the last part of the runs, requests a second in the mean.
	LastOffered, LastAttempts, LastGood, LastDone float64
	// LastShare is LastGood as a share of what could have been good: what was
	// offered, or the capacity where that is less. 1 where nothing was offered.
	LastShare float64
}

// GoodShare is the requests that were answered in time, as a share of those
// offered, over the whole run.
func (p Point) GoodShare() float64 { return ratio(float64(p.Good), float64(p.Offered), 1) }

// Amplification is how many attempts a request made, over the whole run.
func (p Point) Amplification() float64 { return ratio(float64(p.Attempts), float64(p.Offered), 1) }

// Down reports whether the service was down at the end of most runs.
func (p Point) Down() bool { return 2*p.Up < p.Runs }

// Stuck reports whether, in most runs, it was down and could not get up while
// the load stayed as it was: attempts came at least as fast as they were got
// through. What is down and not stuck would drain its backlog in time.
func (p Point) Stuck() bool { return 2*p.Lost > p.Runs }

func ratio(part, whole, none float64) float64 {
	if whole == 0 {
		return none
	}
	return part / whole
}

// add counts one run.
func (p *Point) add(r *sim.Report, s Setting) {
	t := &r.Total
	p.Offered += t.Offered
	p.Good += t.Good
	p.Attempts += t.Attempts
	p.Refused += t.RefusedTotal()

	from := lastFrom(r, s)
	last, seconds := r.Sum(from, s.Scenario.Length), (s.Scenario.Length - from).Seconds()
	offered, good := float64(last.Offered)/seconds, float64(last.Good)/seconds
	possible := offered
	if s.Capacity > 0 {
		possible = min(offered, s.Capacity)
	}
	share := min(1, ratio(good, possible, 1))
	switch {
	case share >= Recovered:
		p.Up++
	case float64(last.Attempts) >= shrinking*float64(last.Done+last.Refused+last.Failed):
		p.Lost++
	}
	p.Runs++
	mean := func(m *float64, v float64) { *m += (v - *m) / float64(p.Runs) }
	mean(&p.LastOffered, offered)
	mean(&p.LastAttempts, float64(last.Attempts)/seconds)
	mean(&p.LastGood, good)
	mean(&p.LastDone, float64(last.Done)/seconds)
	mean(&p.LastShare, share)
}

// lastFrom is when the last part begins, at the beginning of a bucket.
func lastFrom(r *sim.Report, s Setting) time.Duration {
	n := time.Duration(math.Ceil(float64(s.Last) / float64(r.Bucket)))
	from := s.Scenario.Length - r.Bucket*max(n, 1)
	return max(0, from/r.Bucket*r.Bucket)
}
