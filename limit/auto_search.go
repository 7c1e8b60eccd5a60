package limit

import (
	"math"
	"time"
)

// search is the state of the quick, multiplicative search.
type search struct {
	phase   phase
	ref     tally   // the best limit so far, measured while the queue stood
	climbed bool    // a raise was followed by throughput
	leaps   int     // raises without evidence
	before  float64 // answers in time per second when the search began
}

type phase uint8

const (
	reference phase = iota // counting at the present limit
	up                     // at a higher limit than ref
	down                   // at a lower one
)

const (
	// A step of the search is worth it when throughput follows with more than
	// this elasticity: for a doubling by 1.28, where room would give 2 and a
	// saturated station 1.
	stepElasticity = 0.36
	// stepSigmas is how sure a step wants to be, and stepEnough how many answers
	// it counts at most to become so.
	stepSigmas = 1.5
	stepEnough = 150
	// refEnough is how many answers the first side of the first pair needs.
	refEnough = 48
	maxLeaps  = 4
)

// startSearch begins a search from the limit in force, whose windows up to now
// belong to the calm before.
func (a *Auto) startSearch() {
	a.mode, a.sure = searching, false
	a.search = search{before: a.station.perSecond()}
	a.move(a.limit)
	a.leap()
}

// seek takes one window's look at the search.
//
// An empty queue proves nothing, since the backend may have swallowed it: the
// search waits for it to stand again, and ends only if it stays empty.
func (a *Auto) seek() {
	if a.leap() {
		return
	}
	switch a.search.phase {
	case reference:
		a.refer()
	case up:
		a.judgeUp()
	case down:
		a.judgeDown()
	}
	if a.mode == searching && a.calm >= max(500*time.Millisecond, 4*a.station.slot) {
		if a.search.phase == down { // unproven, and no longer to be proven
			a.move(a.search.ref.limit)
		}
		a.good = a.limit
		a.startIdle()
	}
}

// leap raises the limit without evidence when the queue stands and next to
// nothing comes back: the answers that could be evidence are themselves late,
// and those who wait would not live to see it. A few doublings, to the ceiling
// at most, are cheap if wrong.
func (a *Auto) leap() bool {
	expected := a.search.before * a.held.time.Seconds()
	if a.stood == 0 || expected < 8 || float64(a.held.done)*4 >= expected ||
		a.search.leaps >= maxLeaps || a.losing() {
		return false
	}
	to := min(a.higher(), a.station.ceiling(a.search.before))
	if to <= a.limit {
		return false
	}
	a.search.leaps++
	a.search.phase = reference
	a.move(to)
	return true
}

// higher is the next limit upwards: twice the present one, or in a bigger step
// the last that was good.
func (a *Auto) higher() int {
	return min(max(2*a.limit, min(a.good, 4*a.limit)), a.cfg.Max)
}

// refer ends the first side of the first pair.
func (a *Auto) refer() {
	if a.losing() {
		a.startRetreat(Window{MaxInFlight: a.limit})
		return
	}
	if a.standing.good < refEnough || a.standing.time < 2*a.station.slot {
		return
	}
	a.search.ref = a.standing
	a.climb()
}

// climb goes on upwards from the limit in force, which is the reference, or
// settles where there is no way up. It passes the ceiling by a half at most: if
// throughput follows, so does the ceiling, and if not, nothing is late by it.
func (a *Auto) climb() {
	ceiling := a.station.ceiling(a.search.ref.rate())
	to := min(a.higher(), max(ceiling, a.limit+a.limit/2))
	switch {
	case ceiling > a.limit && to > a.limit:
		a.search.phase = up
		a.move(to)
	case a.search.climbed:
		a.startDither()
	default:
		a.descend()
	}
}

func (a *Auto) judgeUp() {
	v := a.follows(a.search.ref, a.standing)
	if v != yes && a.follows(a.search.ref, a.flowing) == yes {
		v = yes
	}
	switch {
	case v == yes:
		a.good = a.limit
		a.search.climbed = true
		a.search.ref = a.standing.plus(a.flowing)
		a.climb()
	case v == no || a.losing():
		a.move(a.search.ref.limit)
		if a.search.climbed {
			a.startDither()
		} else {
			a.descend()
		}
	}
}

// follows asks whether throughput follows the limit from lo to hi, of which the
// later one may still be counting: for two turns of its slots at least, since
// those granted together also finish together, and for four before the answer
// is no, which ends the way up.
func (a *Auto) follows(lo, hi tally) verdict {
	by := stepElasticity * math.Log(float64(hi.limit)/float64(lo.limit))
	v := exceeds(lo, hi, by, stepSigmas, a.standing.done >= stepEnough)
	time := min(lo.time, hi.time)
	if time < 2*a.station.slot || v == no && time < 4*a.station.slot {
		return unsure
	}
	return v
}

// descend tries half of the limit in force, which is the reference.
func (a *Auto) descend() {
	to := max(a.limit/2, a.cfg.Min)
	if to == a.limit {
		a.startDither()
		return
	}
	a.search.phase = down
	a.move(to)
}

func (a *Auto) judgeDown() {
	switch a.follows(a.standing, a.search.ref) {
	case no:
		a.good = a.limit
		a.search.ref = a.standing
		a.descend()
	case yes:
		a.move(a.search.ref.limit)
		a.startDither()
	}
}
