package limit

import (
	"math"
	"time"
)

// dither is the state of the slow, fine search round a limit that saturates
// the station.
type dither struct {
	lo, hi  tally // the pair under comparison
	centre  float64
	rest    duration // how long to rest on the high side before the next pair
	rested  duration
	blocks  int   // finished blocks of the pair, low side first; -1: at rest
	regime  tally // what the high side achieved when it was new
	present tally // what it achieves now
}

const (
	spread       = 1.14 // hi is the centre x spread, lo the centre / spread
	minRest      = time.Second
	maxRest      = 16 * time.Second
	blockAnswers = 100
	maxBlocks    = 8
	regimeEnough = 400
	// The elasticity to aim at lies between these two.
	fullBelow = 0.05
	roomAbove = 0.35
)

// startDither makes the limit in force the high side of a pair.
func (a *Auto) startDither() {
	a.mode, a.sure, a.good = dithering, true, a.limit
	a.dither = dither{centre: float64(a.limit) / spread, rest: minRest, blocks: -1}
}

func (d *dither) high() int { return max(int(math.Ceil(d.centre*spread-0.01)), d.low()+1) }
func (d *dither) low() int  { return max(int(d.centre/spread), 1) }

// compare takes one window's look: it rests on the high side, watches it for a
// new regime, and compares a pair when the rest is over. Windows in which the
// queue did not stand say nothing about saturation and are left out.
func (a *Auto) compare(w Window) {
	d := &a.dither
	switch {
	case a.calm >= time.Second:
		a.startIdle()
		return
	case a.losing() && a.station.now >= a.retreat.until:
		a.startRetreat(w)
		return
	case a.stood == 0:
		return
	}
	if d.blocks < 0 || d.blocks%2 == 1 { // on the high side
		if a.newRegime(w) {
			a.startSearch()
			return
		}
	}
	if d.blocks < 0 {
		if d.rested += w.End - w.Start; d.rested >= d.rest {
			d.blocks, d.lo, d.hi = 0, tally{limit: d.low()}, tally{limit: d.high()}
			a.move(d.low())
		}
		return
	}
	if a.standing.good < blockAnswers && a.standing.time < 4*max(a.station.slot, maxWindow) {
		return
	}
	if d.blocks%2 == 0 {
		d.lo = d.lo.plus(a.standing)
		a.move(d.high())
	} else {
		d.hi = d.hi.plus(a.standing)
		a.move(d.low())
	}
	d.blocks++
	if d.blocks%2 == 0 && d.blocks >= 2 {
		a.steer()
	}
}

// newRegime says whether the high side achieves something else than it did when
// it was new, by much and beyond doubt.
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

// steer ends the pair when its elasticity is clear, or enough was counted.
func (a *Auto) steer() {
	d := &a.dither
	e, se := elasticity(d.lo, d.hi)
	last := d.blocks >= maxBlocks
	before := d.high()
	switch {
	case e-roomAbove > 2*se || last && e > roomAbove:
		d.centre *= 1.15
		ceiling := a.station.ceiling(d.hi.rate())
		if float64(ceiling) < d.centre*spread {
			d.centre = max(d.centre/1.15, float64(ceiling)/spread)
		}
		d.rest = minRest
	case fullBelow-e > 2*se || last && e < fullBelow:
		d.centre = max(d.centre/1.1, float64(a.cfg.Min))
	case last:
		d.rest = min(2*d.rest, maxRest)
	default:
		return // not clear yet: another pair of blocks
	}
	if d.high() != before {
		d.regime = tally{}
	}
	d.present = tally{}
	d.rested, d.blocks = 0, -1
	a.move(d.high())
	a.good = a.limit
}
