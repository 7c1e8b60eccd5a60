package limit

import (
	"math"
	"time"
)

// dither is the state of the slow, fine search round a limit that saturates
// the station. The limit in force between pairs is called home.
type dither struct {
	home   int
	away   int           // the other limit of the pair under comparison; 0: at rest
	atHome tally         // what the two achieved, over all blocks of the pair
	atAway tally         //
	blocks int           // finished blocks of the pair, even ones away
	down   bool          // the next pair goes downwards
	short  int           // the highest limit that achieved clearly less than home
	rest   time.Duration // how long to rest at home before the next pair
	rested time.Duration
	regime tally   // what home achieved when it was new
	more   float64 // evidence that it achieves more now, or less
	less   float64
}

const (
	// upRatio and downRatio are how far apart the limits of a pair are.
	upRatio   = 1.5
	downRatio = 1.3
	// wasteRatio is how far down to look where more than worthALook of what
	// finishes at home is lost: far enough to see whether it is home's doing.
	wasteRatio   = 2
	worthALook   = 0.02
	minRest      = time.Second
	maxRest      = 16 * time.Second
	maxRestUp    = 4 * time.Second // looking upwards costs no answers
	blockAnswers = 100
	maxBlocks    = 16
	fewSlots     = 8
	regimeEnough = 400
	// newsRatio is the change to look for, and newsEnough how much more likely it
	// has to be than none, as a logarithm: much, since answers come more unevenly
	// than by chance where few of them take long.
	newsRatio  = 1.25
	newsEnough = 16
	// Upwards it is worth going where the elasticity is above the first, and
	// downwards where it is below the second.
	roomAbove = 0.12
	fullBelow = 0.05
)

// startDither makes the limit in force home.
func (a *Auto) startDither() {
	a.mode, a.sure, a.good = dithering, true, a.limit
	a.dither = dither{home: a.limit, rest: firstRest(a.limit)}
}

// firstRest is how long to rest at a new home: the fewer slots the shorter, since
// the more there may be to find and the less to lose.
func firstRest(home int) time.Duration {
	return minRest * time.Duration(min(home, fewSlots)) / fewSlots
}

// compare takes one window's look: it watches home for a new regime, and
// compares a pair when the rest is over. Windows in which the queue did not
// stand say nothing about saturation and are left out.
func (a *Auto) compare(w Window) {
	d := &a.dither
	switch {
	case a.calm >= time.Second:
		a.leaveDither()
	case a.losing() && a.limit > d.home:
		a.goHome(false)
	case a.losing():
		a.startRetreat(w)
	case a.stood == 0:
	case a.limit == d.home && d.news(w):
		a.startSearch()
	case d.away == 0:
		d.rested += w.End - w.Start
		if d.rested >= d.rest || !a.downNext() && d.rested >= maxRestUp {
			a.startPair()
		}
	case a.limit < d.home && a.fallsShort():
		d.short = a.limit
		a.goHome(false)
	case a.standing.good >= min(blockAnswers, 12*d.home) && a.standing.time >= 2*a.station.slot,
		a.standing.time >= 4*max(a.station.slot, maxWindow):
		a.endBlock()
	}
}

// leaveDither goes idle, at home unless it was the higher limit of a pair that
// made the queue go away, by more answers than home had.
func (a *Auto) leaveDither() {
	d := &a.dither
	if ln, _ := gain(d.regime, a.flowing); a.limit <= d.home || ln < 0.05 {
		a.move(d.home)
	}
	a.good = a.limit
	a.startIdle()
}

// startPair leaves home, upwards first: a limit that is somewhat too high costs
// nothing while it is compared, one that is too low costs answers. Of few slots,
// which give few answers, it tries twice as many.
func (a *Auto) startPair() {
	d := &a.dither
	if d.down = a.downNext(); d.down {
		d.away = a.lower()
	} else {
		to := max(int(math.Ceil(float64(d.home)*upRatio)), min(2*d.home, fewSlots))
		d.away = min(to, max(a.station.ceiling(d.regime.finished()), d.home), a.cfg.Max)
	}
	if d.away == d.home {
		a.goHome(false)
		return
	}
	d.blocks, d.atHome, d.atAway = 0, tally{limit: d.home}, tally{limit: d.away}
	a.move(d.away)
}

// downNext says whether the next pair is to go downwards, if there is a limit to
// go to: in turn with upwards, and always where more is lost at home than at any
// limit, or where home is above the ceiling.
func (a *Auto) downNext() bool {
	d := &a.dither
	return (d.down || a.wasting() || a.station.ceiling(d.regime.finished()) <= d.home) && a.lower() < d.home
}

// lower is the limit for a pair downwards: not where answers would clearly be
// lost, as far as is known, and well above what they would take if nothing
// hindered them (Little's law). What is above that shows at once when capacity
// returns; where every slot is at work, nothing does.
func (a *Auto) lower() int {
	d := &a.dither
	need := int(math.Ceil(headroom * d.regime.rate() * a.station.base.Seconds()))
	ratio := downRatio
	if a.wasting() {
		ratio = wasteRatio
	}
	return max(int(float64(d.home)/ratio), need, (d.short+d.home+1)/2, a.cfg.Min)
}

// wasting says whether more is lost at home than at any limit.
func (a *Auto) wasting() bool {
	return a.dither.regime.loss() > a.retreat.background+worthALook
}

// endBlock counts a block for its side of the pair and changes sides.
func (a *Auto) endBlock() {
	d := &a.dither
	d.blocks++
	if a.limit == d.home {
		d.atHome = d.atHome.plus(a.standing)
		a.move(d.away)
		a.steer()
		return
	}
	d.atAway = d.atAway.plus(a.standing)
	a.move(d.home)
}

// steer ends the pair when its elasticity is clear, or enough was counted. In
// doubt home stays home, and the limit moves neither way: noise would else walk
// it past the knee in either direction.
func (a *Auto) steer() {
	d := &a.dither
	lo, hi, turn := d.atHome, d.atAway, roomAbove
	if d.away < d.home {
		lo, hi, turn = d.atAway, d.atHome, fullBelow
	}
	e, se := elasticity(lo, hi)
	if math.Abs(e-turn) < 2*se && d.blocks < maxBlocks {
		return // not clear yet: another pair of blocks
	}
	switch {
	case d.away > d.home && e > turn+se/2 && !spoils(lo, hi): // there is room: look for its end
		a.search = search{phase: up, ref: d.atHome, climbed: true}
		a.mode, a.sure = searching, false
		a.move(d.away)
		if e > stepElasticity+float64(2*se) { // as clear as a step of the search
			a.good, a.search.ref = d.away, d.atAway
			a.climb()
		}
	case d.away < d.home && (e < turn+float64(se*a.doubt(lo, hi))):
		a.goHome(true)
	default:
		a.goHome(false)
	}
}

// doubt is by how many standard errors the elasticity of a pair downwards may
// be above what would clearly be too low, and the limit still goes down: more
// than none where there are other reasons to.
func (a *Auto) doubt(lo, hi tally) float64 {
	x := a.dither.regime.rate()
	switch {
	case spoils(lo, hi):
		return 2
	case a.roomy(hi.limit, x, muchRoom):
		return 1
	case a.roomy(hi.limit, x, littleRoom):
		return 0
	}
	return -0.5
}

// spoils says whether more of what finishes is lost at the higher limit of a
// pair, by more than chance and by enough to matter. That is much less noisy
// than what finishes in all, and shows where a backend shares its time among all
// that is in flight.
func spoils(lo, hi tally) bool {
	l, h := lo.loss(), hi.loss()
	p := lo.plus(hi).loss()
	se := math.Sqrt(p * (1 - p) * (1/max(float64(lo.good+lo.lost), 1) + 1/max(float64(hi.good+hi.lost), 1)))
	return h > worthALook && h-l > 1.5*se
}

// goHome ends the pair, with home where it was or where the limit was away.
func (a *Auto) goHome(moved bool) {
	d := &a.dither
	if moved {
		d.home, d.regime, d.rest = d.away, tally{}, firstRest(d.away)
	} else {
		if d.down = !d.down; d.rest == maxRest {
			d.short = 0 // long ago
		}
		d.rest = min(2*d.rest, maxRest)
	}
	d.more, d.less, d.rested, d.away = 0, 0, 0, 0
	a.move(d.home)
	a.good = a.limit
}

// news says whether home achieves something else than it did when it was new, by
// much and beyond doubt: the station changed, and what was known about it is no
// evidence any more. It is Page's cumulative sum of the likelihood ratio, in
// both directions (E. S. Page, Continuous inspection schemes, Biometrika 1954).
func (d *dither) news(w Window) bool {
	if d.regime.good < regimeEnough {
		return d.regime.renew(w)
	}
	expected := d.regime.rate() * (w.End - w.Start).Seconds()
	got := float64(w.Good) * log(newsRatio)
	d.more = max(0, d.more+got-float64(expected*(newsRatio-1)))
	d.less = max(0, d.less-got+float64(expected*(1-1/newsRatio)))
	return max(d.more, d.less) > newsEnough
}

// fallsShort says whether a lower limit clearly achieves less than home: to
// count on would only lose more answers.
func (a *Auto) fallsShort() bool {
	ln, se := gain(a.standing, a.dither.regime.plus(a.dither.atHome))
	return ln > float64(3*se)+float64(roomAbove*log(float64(a.dither.home)/float64(a.limit)))
}
