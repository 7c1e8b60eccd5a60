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
	from    int     // the limit before them
	since   tally   // what has ended since the last of them, settled or not
	before  float64 // answers per second when the search began
	most    int     // the highest limit to leap to
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
	// stepEnough is how many answers a step counts at most to become sure.
	stepEnough = 150
	// refEnough is how many answers the first side of the first pair needs.
	refEnough = 48
	// liftEnough is how many answers say enough of the throughput for a lift.
	liftEnough = 8
	// maxLeaps is how often one search raises the limit without evidence.
	maxLeaps = 4
	// leapFactor is how often a leap goes to what the former load took while it
	// was calm, by Little's law, at most: where capacity was lost, all of it ends
	// up in the backend's own queue.
	leapFactor = 6
)

// startSearch begins a search from the limit in force, whose windows up to now
// belong to the calm before.
func (a *Auto) startSearch() {
	a.mode, a.sure = searching, false
	a.search = search{before: a.station.perSecond(), from: a.limit}
	calm := max(a.cfg.Initial, int(a.search.before*a.station.base.Seconds()))
	a.search.most = max(a.limit, leapFactor*calm)
	held := a.held // while the queue stood, which is this search's business
	a.move(a.limit)
	a.held = held
	a.leap()
}

// seek takes one window's look at the search.
//
// An empty queue proves nothing, since the backend may have swallowed it: the
// search waits for it to stand again, and ends only if it stays empty, or comes
// and goes for so long that no test will be completed.
func (a *Auto) seek() {
	if a.leap() || a.land() || a.lift() {
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
	if a.mode != searching {
		return
	}
	switch {
	case a.calm >= max(500*time.Millisecond, 4*a.station.slot):
		a.endSearch(a.search.phase != down)
	case a.flowing.time >= max(time.Second, 10*a.station.slot):
		ln, _ := gain(a.search.ref, a.standing.plus(a.flowing))
		a.endSearch(a.search.phase == reference || a.search.phase == up && ln > 0.05)
	}
}

// endSearch ends a search for want of a queue, at the limit in force or, unless
// that is to be kept, at the one before.
func (a *Auto) endSearch(keep bool) {
	if !keep {
		a.move(a.search.ref.limit)
	}
	a.good = a.limit
	a.startIdle()
}

// leap raises the limit without evidence when the queue stands and answers come
// at less than half the rate of before, beyond chance: those that could be evidence are
// themselves late, and those who wait would not live to see it. It goes to what
// the former load takes at the present slot time (Little's law), or doubles
// while nothing at all comes back, to the ceiling at most: cheap if wrong.
func (a *Auto) leap() bool {
	expected, done := a.search.before*a.held.time.Seconds(), float64(a.held.done)
	if a.search.phase != reference || a.stood == 0 || expected < 8 || 2*(done+math.Sqrt(done)) >= expected ||
		a.search.leaps >= maxLeaps || a.losing() {
		return false
	}
	to := max(a.higher(), int(1.5*a.search.before*a.station.slot.Seconds()))
	to = min(to, a.station.ceiling(a.search.before), a.search.most)
	if to <= a.limit {
		return false
	}
	a.search.leaps++
	a.search.since = tally{}
	a.move(to)
	return true
}

// land takes a leap back as soon as there are answers again which say that what
// is in flight takes too long: capacity was lost, and where a leap went to is
// far above what is left of it. The slots need not have turned over for that,
// which takes the longer the further it went. Answers that all are late say
// nothing about capacity.
func (a *Auto) land() bool {
	if a.search.phase != reference || a.search.leaps == 0 || a.stood == 0 || a.held.good < refEnough {
		return false
	}
	to := a.station.ceiling(a.held.finished())
	if to >= a.limit {
		return false
	}
	a.move(to)
	a.startDither()
	return true
}

// lift doubles a limit at which a slot is held for so small a part of what callers
// bring along that nobody would be late even if nothing more were answered, but
// not above where it all started. It compares nothing: a limit of one or two,
// wherever it came from, gives too few answers to find out soon that it is too
// low.
func (a *Auto) lift() bool {
	if a.search.phase != reference || a.stood == 0 || a.held.good < liftEnough ||
		4*a.limit > a.station.ceiling(a.held.rate()) || 2*a.limit > a.cfg.Initial || a.losing() {
		return false
	}
	a.move(2 * a.limit)
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
// settles where there is no way up. It passes the ceiling by a quarter at most,
// or by one: if throughput follows, so does the ceiling, and if not, little is late
// by it. Of few slots the ceiling is less than the one above it by rounding alone,
// and at one slot that would be for good.
func (a *Auto) climb() {
	ceiling := a.station.ceiling(a.search.ref.finished())
	to := min(a.higher(), max(ceiling, a.limit+max(a.limit/4, 1)))
	switch {
	case (ceiling > a.limit || a.limit < 4 && ceiling == a.limit) && to > a.limit:
		a.search.phase = up
		a.move(to)
	case a.search.climbed:
		a.startDither()
	default:
		a.descend()
	}
}

// judgeUp ends a step upwards when the queue stood for long enough to tell, or
// when the higher limit made it go away by more answers than the reference had.
func (a *Auto) judgeUp() {
	v := a.follows(a.search.ref, a.standing, a.standing)
	if v != yes && a.follows(a.search.ref, a.flowing, a.flowing) == yes {
		v = yes
	}
	all := a.standing.plus(a.flowing)
	if v == yes && a.station.ceiling(all.finished()) < a.limit {
		v = no
	}
	switch {
	case v == yes:
		a.good = a.limit
		a.search.climbed = true
		a.search.ref = all
		a.climb()
	case v == no || a.losing():
		a.move(a.search.ref.limit)
		if !a.search.climbed && a.worthTrying(a.limit/2, a.search.ref.rate()) {
			a.descend()
			return
		}
		// The knee is below, or above by less than a step can show: half a step
		// up, or less where the last step up may have been chance.
		margin := a.limit + (a.limit+3)/4
		if !a.search.climbed && !a.roomy(a.limit, a.search.ref.rate(), littleRoom) {
			margin = int(math.Ceil(float64(a.limit) * math.Sqrt2))
		}
		margin = min(margin, a.station.ceiling(a.search.ref.finished()))
		a.move(max(a.limit, margin))
		a.startDither()
	}
}

// follows asks whether throughput follows the limit from lo to hi, of which
// fresh is the one that is still counting: for two turns of its slots at least,
// since those granted together also finish together, and for four before the
// answer is no, which ends the way up.
func (a *Auto) follows(lo, hi, fresh tally) verdict {
	by := stepElasticity * log(float64(hi.limit)/float64(lo.limit))
	v := exceeds(lo, hi, by)
	if v == unsure && fresh.done >= stepEnough {
		// Of two limits that cannot be told apart the higher one costs a little
		// latency if it is wrong, the lower one answers: half of what is wanted is
		// enough, unless the baseline says that both are far above what is needed.
		v = no
		if ln, _ := gain(lo, hi); ln > by/2 && !a.roomy(lo.limit, lo.rate(), muchRoom) {
			v = yes
		}
	}
	if turn := a.station.slot; fresh.time < 2*turn || v == no && fresh.time < 4*turn {
		return unsure
	}
	return v
}

// descend tries half of the limit in force, which is the reference, as long as
// that is still well above what the answers would take unhindered. The rest of
// the way down is left to dither, which is slow and sure: below the knee,
// answers are lost.
func (a *Auto) descend() {
	to := max(a.limit/2, a.cfg.Min)
	if to == a.limit || !a.worthTrying(to, a.search.ref.rate()) {
		a.startDither()
		return
	}
	a.search.phase = down
	a.move(to)
}

// judgeDown ends a step downwards, which is good as long as it costs nothing.
func (a *Auto) judgeDown() {
	switch a.follows(a.standing, a.search.ref, a.standing) {
	case no:
		a.good = a.limit
		a.search.ref = a.standing
		a.descend()
	case yes:
		a.move(a.search.ref.limit)
		a.startDither()
	}
}
