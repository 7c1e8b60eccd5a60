package sim

import (
	"errors"
	"time"
)

// Effect is what a disturbance does to a station: [Workers], [Slowdown],
// [ExtraDelay], [Stall], [Restart], [ColdCache], [UseGate],
// [Recover] or [SwitchTier].
type Effect interface {
	apply(*engine, *station)
	validate() error
}

// Workers is how many workers there are from now on, also where there was no
// bound. Those beyond it finish what they are at.
type Workers int

func (n Workers) apply(_ *engine, s *station) { s.workers = int(n) }

func (n Workers) validate() error {
	if n < 0 {
		return errors.New("want 0 workers or more")
	}
	return nil
}

// Slowdown is by what factor jobs that begin from now on take longer than they
// would at first: 2 halves the capacity, 1 brings it back. At a station with
// [Sharing] those that have begun are slowed down, too.
type Slowdown float64

func (f Slowdown) apply(_ *engine, s *station) { s.factor = float64(f) }

func (f Slowdown) validate() error {
	if !(f > 0) || f > 1e6 {
		return errors.New("want a factor above 0, and at most 1e6")
	}
	return nil
}

// ExtraDelay is what jobs that begin from now on take on top, as when
// something that they call has become slower.
type ExtraDelay time.Duration

func (d ExtraDelay) apply(_ *engine, s *station) { s.delay = time.Duration(d) }

func (d ExtraDelay) validate() error { return validTime(time.Duration(d)) }

// Stall stops all workers for so long, as a garbage collection does: what they
// are at takes that much longer.
type Stall time.Duration

func (d Stall) apply(e *engine, s *station) {
	until := max(s.stalled, e.now+time.Duration(d))
	s.paused += until - max(s.stalled, e.now)
	s.stalled = until
}

func (d Stall) validate() error { return validTime(time.Duration(d)) }

// Blips are n delays that pass: the first at a time, the others so long after
// one another, each of them for a length in which jobs that begin take extra
// longer.
func Blips(first, every time.Duration, n int, length, extra time.Duration) []Disturbance {
	var d []Disturbance
	for i := range n {
		at := first + time.Duration(i)*every
		d = append(d, Disturbance{at, ExtraDelay(extra)}, Disturbance{at + length, ExtraDelay(0)})
	}
	return d
}
