package limit

import (
	"math"
	"time"
)

// dither is the state of the slow, fine search round a limit that saturates
// the station. The limit in force between pairs is called home.
type dither struct {
	home    int
	away    int           // the other limit of the pair under comparison; 0: at rest
	atHome  tally         // what the two achieved, over all blocks of the pair
	atAway  tally         //
	blocks  int           // finished blocks of the pair, even ones away
	down    bool          // the next pair goes downwards
	rest    time.Duration // how long to rest at home before the next pair
	rested  time.Duration
	regime  tally // what home achieved when it was new
	present tally // what it achieves now
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
	regimeEnough = 400
	// Upwards it is worth going where the elasticity is above the first, and
	// downwards where it is below the second.
	roomAbove = 0.12
	fullBelow = 0.05
)

// startDither makes the limit in force home.
func (a *Auto) startDither() {
	a.mode, a.sure, a.good = dithering, true, a.limit
	a.dither = dither{home: a.limit, rest: minRest}
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
	case a.limit == d.home && a.newRegime(w):
		a.startSearch()
	case d.away == 0:
		d.rested += w.End - w.Start
		if d.rested >= d.rest || !d.down && d.rested >= maxRestUp {
			a.startPair()
		}
	case a.standing.good >= blockAnswers && a.standing.time >= 2*a.station.slot,
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
// nothing while it is compared, one that is too low costs answers. Downwards it
// goes at most to a tenth more than the answers would take if nothing hindered
// them (Little's law), and not at all where home is no higher.
func (a *Auto) startPair() {
	d := &a.dither
	ceiling := a.station.ceiling(d.regime.finished())
	need := int(math.Ceil(1.1 * d.regime.rate() * a.station.base.Seconds()))
	ratio, wasting := downRatio, d.regime.loss() > a.retreat.background+worthALook
	if wasting {
		ratio = wasteRatio
	}
	lower := max(int(float64(d.home)/ratio), need, a.cfg.Min)
	if d.down = (d.down || wasting || ceiling <= d.home) && lower < d.home; d.down {
		d.away = lower
	} else {
		d.away = min(int(math.Ceil(float64(d.home)*upRatio)), max(ceiling, d.home), a.cfg.Max)
	}
	if d.away == d.home {
		a.goHome(false)
		return
	}
	d.blocks, d.atHome, d.atAway = 0, tally{limit: d.home}, tally{limit: d.away}
	a.move(d.away)
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
		d.home, d.regime, d.rest = d.away, tally{}, minRest
	} else {
		d.down = !d.down
		d.rest = min(2*d.rest, maxRest)
	}
	d.present, d.rested, d.away = tally{}, 0, 0
	a.move(d.home)
	a.good = a.limit
}

// newRegime says whether home achieves something else than it did when it was
// new, by much and beyond doubt: the station changed, and what was known about
// it is no evidence any more.
func (a *Auto) newRegime(w Window) bool {
	d := &a.dither
	if d.regime.good < regimeEnough {
		d.regime.add(w)
		return false
	}
	d.present.add(w)
	ln, se := gain(d.regime, d.present)
	if d.present.good >= regimeEnough/4 && math.Abs(ln) > max(0.25, 4*se) {
		return true
	}
	if d.present.good >= regimeEnough {
		d.present = tally{}
	}
	return false
}
