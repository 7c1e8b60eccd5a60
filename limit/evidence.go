package limit

import (
	"math"
	"time"
)

// tally is what one limit achieved, over as many windows as were added.
type tally struct {
	limit int
	time  time.Duration
	done  int // whatever the outcome
	good  int
	lost  int
}

func (t *tally) add(w Window) {
	t.limit = w.Limit
	t.time += w.End - w.Start
	t.done += w.Completed
	t.good += w.Good
	t.lost += w.Lost
}

// renew adds a window, instead of all that was counted before if that makes what
// is in the window more than unlikely: then it is of another time. A window that
// is much shorter than the time of a slot may hold all that were granted at once.
func (t *tally) renew(w Window) (renewed bool) {
	length := w.End - w.Start
	old, was := *t, t.rate()*length.Seconds()
	t.add(w)
	turn := t.time.Seconds() * float64(w.Limit) / float64(max(t.done, 1))
	if old.time < renewAfter || w.Good < 3 || float64(w.Good) < float64(4*was)+2 || 4*length.Seconds() < turn {
		return false
	}
	*t = tally{}
	t.add(w)
	return true
}

// renewAfter is how old a tally is at least that can be of another time.
const renewAfter = time.Second / 2

// plus is both tallies together, which are of one limit.
func (t tally) plus(o tally) tally {
	return tally{max(t.limit, o.limit), t.time + o.time, t.done + o.done, t.good + o.good, t.lost + o.lost}
}

// rate is the answers in time per second.
func (t tally) rate() float64 {
	if t.time <= 0 {
		return 0
	}
	return float64(t.good) / t.time.Seconds()
}

// finished is the answers per second, in time or not: what the station did for
// whoever got that far. Failures of the work itself, which may be fast, are left
// out.
func (t tally) finished() float64 {
	if t.time <= 0 {
		return 0
	}
	return float64(t.good+t.lost) / t.time.Seconds()
}

// whenever is the tally with what came too late taken for answers as well.
func (t tally) whenever() tally {
	t.good, t.lost = t.good+t.lost, 0
	return t
}

// loss is the share of finished work that came to nothing.
func (t tally) loss() float64 {
	if t.good+t.lost == 0 {
		return 0
	}
	return float64(t.lost) / float64(t.good+t.lost)
}

// likelyLoss is the highest loss, within two standard errors, that the tally
// agrees with.
func (t tally) likelyLoss() float64 {
	p := t.loss()
	return p + float64(2*math.Sqrt(p*(1-p)/max(float64(t.good+t.lost), 1)))
}

// gain is ln(X_to / X_from), the logarithm of how much more one limit achieved
// than another, and its standard error if completions come as a Poisson
// stream. Half an answer is added to each side, so that none at all is still a
// number. A side without any time is no evidence: no gain, and no end of error.
func gain(from, to tally) (ln, se float64) {
	if from.time <= 0 || to.time <= 0 {
		return 0, math.Inf(1)
	}
	f, t := float64(from.good)+0.5, float64(to.good)+0.5
	return log(t / f * (from.time.Seconds() / to.time.Seconds())), math.Sqrt(1/f + 1/t)
}

// elasticity is dlnX/dlnN from a pair of limits, with its standard error: near
// 1 there is room, near 0 the station is saturated, below 0 it is retrograde.
func elasticity(lo, hi tally) (e, se float64) {
	ln, se := gain(lo, hi)
	span := log(float64(hi.limit) / float64(lo.limit))
	return ln / span, se / span
}

// log is the natural logarithm. math.Log is in assembly on some platforms and
// differs there in the last bit; the same windows have to give the same limits
// everywhere, and math.Log1p is the same in all that matter.
func log(x float64) float64 { return math.Log1p(x - 1) }

// verdict of a sequential test.
type verdict int

const (
	unsure verdict = iota
	yes
	no
)

// exceeds asks whether to achieved more than from by at least the factor
// exp(by). It is unsure until the evidence is worth enough standard errors: two
// for yes, and one and a half for no.
func exceeds(from, to tally, by float64) verdict {
	ln, se := gain(from, to)
	switch {
	case ln-by > 2*se:
		return yes
	case by-ln > 1.5*se:
		return no
	}
	return unsure
}
