package limit

import (
	"math"
	"time"

	"github.com/plimsoll-go/plimsoll/stats"
)

// Auto finds the limit by itself, and is the default of a gate.
//
// At one limit a station that lost capacity and a station whose downstream
// became slower look the same: fewer answers, later. Only a change of the limit
// tells them apart. So Auto moves the limit when, and only when, work queues in
// front of it, and judges each move by the answers in time per second on either
// side of it. It is always in one of four modes:
//
//   - idle: the limit does not bind. It is kept, and forgets slowly what no
//     recent peak needed. Calm is where the time that an unhindered request
//     takes is learnt; nothing is refused and nothing is probed.
//   - search: the queue stands and there is no fresh evidence. The limit doubles
//     as long as the answers follow; if they do not at the first try, it halves
//     as long as they do not either. Each step is a sequential test.
//   - dither: saturated. The limit rests on the high side of a centre, and now
//     and then a pair of limits around it is compared, aiming at an elasticity
//     dlnX/dlnN just above 0: a third above the knee costs a little latency,
//     a third below it costs answers. A jump in throughput at a held limit means
//     a new regime, and a new search.
//   - retreat: much of what finishes came too late to be of use. The limit
//     shrinks at once, unless that turns out not to be what the losses came from.
//
// Growth stops where the work in flight would take more than about half of what
// callers have left to wait (the limit, by Little's law, at 0.55 of throughput
// x time left), so that whatever a search believes, the backend's own queue
// stays shorter than the deadline.
//
// Slower answers that are still in time are no loss. Failures of the work
// itself, fast or slow, are neither good nor lost and never the latency of
// anything. Auto never lowers the limit to measure a latency, so it has no probe
// windows to refuse in, and it uses no randomness: the same windows give the
// same limits.
//
// It holds about 600 bytes, allocates nothing, and is not safe for concurrent
// use.
type Auto struct {
	cfg   AutoConfig
	limit int
	mode  mode

	station  station  // what the station has been like lately
	settle   duration // of the present limit's time, how much is still the last limit's doing
	standing tally    // at this limit, settled, while the queue stood
	flowing  tally    // the same, while it did not
	held     tally    // at this limit since it came into force
	stood    duration // how long the queue has stood, in windows in a row
	calm     duration // how long in a row it has not
	good     int      // the last limit that throughput spoke for
	sure     bool     // there is evidence of saturation

	search  search
	dither  dither
	retreat retreat
	trimmed duration // when idle last lowered the limit
}

type duration = time.Duration

type mode uint8

const (
	idling mode = iota
	searching
	dithering
	retreating
)

// NewAuto returns an Auto within the bounds of c, which should be valid; see
// [AutoConfig.Validate].
func NewAuto(c AutoConfig) *Auto {
	c = c.withDefaults()
	return &Auto{cfg: c, limit: c.Initial}
}

// Validate returns every fault of the configuration that the Auto was made
// with, as [AutoConfig.Validate] does.
func (a *Auto) Validate() error { return a.cfg.Validate() }

// Start returns the first limit. See [Algorithm].
func (a *Auto) Start() Next { return a.next() }

// Fold judges a window. See [Algorithm]. A window of no length, or of another
// limit than the one that was asked for, is ignored.
func (a *Auto) Fold(w Window) Next {
	if w.End <= w.Start || w.Limit != a.limit {
		return a.next()
	}
	a.measure(w)
	switch {
	case a.settle > 0:
		a.settle -= w.End - w.Start
		if a.mode == searching {
			a.leap()
		}
	case a.mode == idling:
		a.idle(w)
	case a.mode == searching:
		a.seek()
	case a.mode == dithering:
		a.compare(w)
	case a.mode == retreating:
		a.fallBack(w)
	}
	return a.next()
}

// measure adds the window to what is known. The queue counts as standing in a
// window when it was there for half of it, or when more than a twentieth of what
// completed was turned away instead of being let in.
func (a *Auto) measure(w Window) {
	length := w.End - w.Start
	stands := w.MaxInFlight >= w.Limit && (w.Standing*2 >= length || w.Refused*20 > w.Completed)
	if stands {
		if a.stood == 0 && a.settle <= 0 {
			a.held = tally{limit: a.limit} // what flowed before says nothing
		}
		a.held.add(w)
		a.stood, a.calm = a.stood+length, 0
	} else {
		a.stood = 0
		if w.Standing*10 <= length && w.Refused == 0 {
			a.calm += length
		} else {
			a.calm = 0
		}
	}
	a.station.see(w, stands, a.held)
	if a.calm >= time.Second && w.Standing == 0 && w.MaxInFlight < w.Limit {
		a.station.learnBase(w, a.calm)
	}
	switch {
	case a.settle > 0:
	case stands:
		a.standing.add(w)
	default:
		a.flowing.add(w)
	}
}

// move puts another limit in force and forgets what was counted at the last.
// What completes until the slots have turned over once is the last one's doing.
func (a *Auto) move(to int) {
	to = min(max(to, a.cfg.Min), a.cfg.Max)
	if to != a.limit {
		a.settle = max(a.station.slot+a.station.slot/4, minWindow)
	}
	a.limit = to
	a.standing, a.flowing, a.held = tally{limit: to}, tally{limit: to}, tally{limit: to}
}

const (
	longCalm  = 30 * time.Second
	minWindow = 5 * time.Millisecond
	maxWindow = 500 * time.Millisecond
)

// next says what the coming window is to be like.
func (a *Auto) next() Next {
	slot := min(max(a.station.slot, minWindow), maxWindow)
	n := Next{Limit: a.limit, MinSamples: 1, Saturated: a.sure}
	switch {
	case a.settle > 0:
		n.MinTime = min(max(a.settle, minWindow), maxWindow)
		n.MaxTime = n.MinTime
	case a.mode == idling:
		n.MinTime, n.MaxTime = 50*time.Millisecond, 50*time.Millisecond
	case a.mode == dithering:
		n.MinSamples = 32
		n.MinTime, n.MaxTime = max(slot, 100*time.Millisecond), time.Second
	default:
		n.MinSamples = 16
		n.MinTime, n.MaxTime = slot, max(2*slot, 25*time.Millisecond)
	}
	return n
}

// roomy says whether a limit is by a factor above what x answers a second would
// take if nothing hindered them, by Little's law and the baseline. It is a hint
// for where to look and how to doubt, never a verdict: the baseline may be of
// another regime.
func (a *Auto) roomy(limit int, x, factor float64) bool {
	return a.station.base > 0 && float64(limit) >= factor*x*a.station.base.Seconds()
}

// Factors for roomy: where to look for less, and where less is likely.
const (
	someRoom = 1.5
	muchRoom = 4
)

// losing says whether so much of what finished at this limit came to nothing
// that waiting for a comparison would be wrong: a fifth in any case, and a
// twenty-fifth where slots are held for so much longer than in calm that the
// losses are probably the limit's own doing. What was found to be lost at any
// limit does not count, nor does what may be chance.
func (a *Auto) losing() bool {
	t := a.standing.plus(a.flowing)
	n, b := float64(t.good+t.lost), a.retreat.background
	excess := float64(t.lost) - n*b - 3*math.Sqrt(n*b*(1-b))
	slow := a.station.base > 0 && a.station.slot > 2*a.station.base
	return n >= 10 && excess >= 0.2*n*(1-b) ||
		slow && t.lost >= 10 && excess >= 0.04*n*(1-b)
}

var _ Algorithm = (*Auto)(nil)

// station is what the station behind the limit has been like lately.
type station struct {
	base   duration // a slot's time when nothing waits and nothing binds; 0: unknown
	slot   duration // a slot's time now, whatever the load
	budget duration // what callers have left when they are granted a slot; 0: unknown
	rate   stats.Rate
	peak   stats.Peak
	now    duration
}

// see learns from a window; held is all that its limit has done.
func (s *station) see(w Window, stands bool, held tally) {
	s.now = w.End
	s.rate.HalfLife = time.Second
	s.rate.Add(w.Start, 0) // or else the first window would seem to have no length
	s.rate.Add(w.End, float64(w.Good+w.Lost))
	s.peak.Add(w.End, float64(w.MaxInFlight))
	if w.Budget > 0 {
		s.budget = w.Budget
	}
	switch n := w.Uncontended.Count() + w.Waited.Count(); {
	case stands && held.good+held.lost > 0:
		// Little's law: all slots were taken. It also sees what is always late.
		s.slot = held.time * duration(w.Limit) / duration(held.good+held.lost)
	case n > 0:
		sum := w.Uncontended.Sum() + w.Waited.Sum()
		s.slot = toward(s.slot, sum/duration(n), float64(n)/float64(n+20))
	}
}

// learnBase learns the baseline from a calm window: downwards at once, if it has
// many samples rather than a single lucky one, and upwards only after a long
// calm, since a backend that is swallowing a queue also looks calm for a while.
func (s *station) learnBase(w Window, calm duration) {
	n := float64(w.Uncontended.Count())
	if v := w.Uncontended.Mean(); n > 0 && (s.base == 0 || v < s.base || calm > longCalm) {
		s.base = toward(s.base, v, n/(n+20))
	}
}

// perSecond is the answers, in time or not, of about the last second.
func (s *station) perSecond() float64 { return s.rate.PerSecond(s.now) }

// ceiling is the limit at which a station of x answers a second holds a slot
// for about half of what its callers have left, or for somewhat longer than the
// baseline where that is more.
func (s *station) ceiling(x float64) int {
	budget := s.budget.Seconds()
	if budget == 0 { // nobody has a deadline: patience is a guess
		budget = max(1, 10*s.base.Seconds())
	}
	hold := max(0.55*budget, min(1.5*s.base.Seconds(), 0.7*budget))
	return int(min(x*hold, Max))
}

// toward moves old a share of the way to v; an unknown old becomes v.
func toward(old, v duration, share float64) duration {
	if old == 0 {
		return v
	}
	return old + duration(float64(v-old)*share)
}
