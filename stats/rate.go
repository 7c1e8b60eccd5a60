package stats

import (
	"math"
	"time"
)

// DefaultHalfLife is the half-life of a [Rate] or [Mean] that names none.
const DefaultHalfLife = 10 * time.Second

// Rate is a rate of events that forgets by half-life: after HalfLife an event
// weighs half of what it weighed, after two a quarter. A steady stream is
// reported as it is, also while the history is still shorter than the
// half-life, because the weight of the time that passed is kept beside that of
// the events. The zero value is ready. It is not safe for concurrent use.
type Rate struct {
	// HalfLife is how long an event takes to lose half its weight; 0 means
	// DefaultHalfLife. It is set before first use.
	HalfLife time.Duration

	clock  decay
	events float64
	span   float64 // seconds of history, weighted as the events are
}

// Add counts n events at now.
func (r *Rate) Add(now time.Duration, n float64) {
	r.advance(now)
	r.events += n
}

// PerSecond returns the events per second as of now, 0 before any time passed.
func (r *Rate) PerSecond(now time.Duration) float64 {
	r.advance(now)
	if r.span <= 0 {
		return 0
	}
	return r.events / r.span
}

func (r *Rate) advance(now time.Duration) {
	keep, passed := r.clock.pass(now, r.HalfLife)
	r.events *= keep
	// The integral of the weight over the time that passed, which is what a
	// steady stream of one event a second would have left in events.
	r.span = float64(r.span*keep) + integral(keep, passed, r.HalfLife)
}

// Mean is a mean of values that forgets by half-life, as [Rate] does. The zero
// value is ready. It is not safe for concurrent use.
type Mean struct {
	// HalfLife is how long a value takes to lose half its weight; 0 means
	// DefaultHalfLife. It is set before first use.
	HalfLife time.Duration

	clock  decay
	sum    float64
	weight float64
}

// Add takes the value v at now.
func (m *Mean) Add(now time.Duration, v float64) {
	m.advance(now)
	m.sum += v
	m.weight++
}

// Value returns the mean as of now and its weight: how many values of this
// very moment it is worth. Time alone leaves the mean and lowers the weight,
// so that a mean nobody has fed for long can be told from a fresh one. Both
// are 0 when there is none.
func (m *Mean) Value(now time.Duration) (v, weight float64) {
	m.advance(now)
	if m.weight <= 0 {
		return 0, 0
	}
	return m.sum / m.weight, m.weight
}

func (m *Mean) advance(now time.Duration) {
	keep, _ := m.clock.pass(now, m.HalfLife)
	m.sum *= keep
	m.weight *= keep
}

// decay is the clock of a value that forgets: when it was last brought up to
// date.
type decay struct {
	at      time.Duration
	started bool
}

// pass moves the clock to now and returns the share of weight that is kept and
// the time that passed. A now before the last one passes no time.
func (c *decay) pass(now, halfLife time.Duration) (keep float64, passed time.Duration) {
	if !c.started {
		c.at, c.started = now, true
		return 1, 0
	}
	if now <= c.at {
		return 1, 0
	}
	passed = now - c.at
	c.at = now
	// Expm1, since Exp and Exp2 are in assembly on some platforms and differ
	// there in the last bit; this has to be the same everywhere.
	return 1 + math.Expm1(-passed.Seconds()/orDefault(halfLife).Seconds()*math.Ln2), passed
}

// integral is the weight, in seconds, of a stretch that has just passed and
// kept the share keep of its first moment.
func integral(keep float64, passed, halfLife time.Duration) float64 {
	if passed == 0 {
		return 0
	}
	return (1 - keep) * orDefault(halfLife).Seconds() / math.Ln2
}

func orDefault(halfLife time.Duration) time.Duration {
	if halfLife <= 0 {
		return DefaultHalfLife
	}
	return halfLife
}
