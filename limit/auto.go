package limit

import (
	"math"
	"time"
)

// Auto finds the limit by itself, and is the default of a gate.
//
// At one limit a station that lost capacity and a station whose downstream
// became slower look the same: fewer answers, later. Only a change of the limit
// tells them apart. So Auto moves the limit when, and only when, work queues in
// front of it, and judges each move by the answers in time per second on either
// side of it, counted until the difference is worth enough standard errors. It is
// always in one of four modes:
//
//   - idle: the limit does not bind. It is kept, and forgets slowly what no
//     recent peak needed. Calm is where the time that an unhindered request
//     takes is learnt; nothing is refused and nothing is probed.
//   - search: the queue stands and there is no fresh evidence. The limit doubles
//     as long as the answers follow. If they do not at the first try, it halves
//     as long as that is far above what the answers take unhindered. Where
//     answers stop coming, so that there is nothing to judge by, it first leaps,
//     some way, and comes back as soon as there are answers that say so.
//   - dither: saturated. The limit rests, a little above the knee, where that
//     costs some latency; below it, answers would be lost. Now and then it is
//     compared with a limit above and one below, by the elasticity dlnX/dlnN. A
//     jump in throughput at the held limit means a new regime, and a new search.
//   - retreat: much of what finishes came too late to be of use. The limit
//     shrinks at once, unless that turns out not to be what the losses came from.
//
// Growth stops where the work in flight would take more than about half of what
// callers bring along to wait (the limit, by Little's law, at 0.55 of throughput
// x that time), so that whatever a search believes, the backend's own queue
// stays shorter than the deadline. Where nobody has a deadline a second is taken
// for one.
//
// Slower answers that are still in time are no loss. Failures of the work
// itself, fast or slow, are neither good nor lost and never the latency of
// anything. Auto never lowers the limit to measure a latency, so it has no probe
// windows to refuse in, and it uses no randomness: the same windows give the
// same limits.
//
// It holds 1 kB, allocates nothing, and is not safe for concurrent use.
type Auto struct {
	cfg   AutoConfig
	limit int // in force
	mode  mode

	station  station
	settle   time.Duration // how much of the limit's time is still the last one's doing
	standing tally         // at this limit, settled, while the queue stood
	flowing  tally         // the same, while it did not
	held     tally         // at this limit since the queue stands, settled or not
	stood    time.Duration // how long the queue has stood, in windows in a row
	calm     time.Duration // how long in a row it has not
	good     int           // the last limit that throughput spoke for
	sure     bool          // there is evidence of saturation

	search  search
	dither  dither
	retreat retreat
	trimmed time.Duration // when idle last lowered the limit
	tiers   tiers
}

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
	if w.Tiers != a.tiers.on && a.shift(w.Tiers) {
		return a.next() // the window is of both
	}
	w = a.station.heed(w)
	a.measure(w)
	switch {
	case a.settle > 0:
		// Where slots turn over much faster by now, it is over sooner.
		a.settle = min(a.settle-(w.End-w.Start), 4*a.station.turn())
		if a.mode == searching && !a.fall(w) {
			a.leap()
		}
	case a.mode == idling:
		a.idle(w)
	case a.mode == searching && !a.fall(w):
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
		if a.held.renew(w) && a.mode == searching && a.search.phase != reference {
			a.startSearch() // what it compares with is of another time, too
		}
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
		a.station.learnBase(w)
	}
	switch {
	case a.settle > 0:
	case stands:
		a.standing.renew(w)
	default:
		a.flowing.renew(w)
	}
}

// move puts another limit in force and forgets what was counted at the last.
// What completes until the slots have turned over once is the last one's doing.
func (a *Auto) move(to int) {
	to = min(max(to, a.cfg.Min), a.cfg.Max)
	if to != a.limit {
		a.settle = a.station.turn()
	}
	a.limit = to
	a.standing, a.flowing, a.held = tally{limit: to}, tally{limit: to}, tally{limit: to}
}

const (
	// Windows follow the slot time between these two.
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
	littleRoom = 1.2
	headroom   = 1.25
	someRoom   = 1.5
	muchRoom   = 4
)

// losing says whether so much of what finished at this limit came to nothing
// that waiting for a comparison would be wrong: a fifth in any case, and a
// twenty-fifth where slots are held for so much longer than in calm that the
// losses are probably the limit's own doing. What was found to be lost at any
// limit does not count, nor does what may be chance.
func (a *Auto) losing() bool {
	t := a.standing.plus(a.flowing)
	n, b := float64(t.good+t.lost), a.retreat.background
	excess := float64(t.lost) - float64(n*b) - float64(3*math.Sqrt(n*b*(1-b)))
	slow := a.station.base > 0 && a.station.slot > 2*a.station.base
	return n >= 10 && excess >= 0.2*n*(1-b) ||
		slow && t.lost >= 10 && excess >= 0.04*n*(1-b)
}

var _ Algorithm = (*Auto)(nil)

// worthTrying says whether a lower limit may have room enough, by the baseline
// or, as long as there was no calm to learn it from, by what the first to be
// served took.
func (a *Auto) worthTrying(limit int, x float64) bool {
	if a.station.base > 0 {
		return a.roomy(limit, x, someRoom)
	}
	return a.station.early > 0 && float64(limit) >= someRoom*x*a.station.early.Seconds()
}
