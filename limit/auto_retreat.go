package limit

import "time"

// retreat is the state of giving way to losses.
type retreat struct {
	ref   tally    // the limit before the last step down
	until duration // no retreat before this time
	wait  duration // the next time to wait after a retreat that did not help
}

const (
	minWait = 2 * time.Second
	maxWait = time.Minute
)

// startRetreat lowers the limit in proportion to the losses, by a fifth at
// least and by half at most.
func (a *Auto) startRetreat(w Window) {
	a.mode = retreating
	a.stepDown(w)
}

func (a *Auto) stepDown(w Window) {
	r := a.standing.plus(a.flowing)
	r.limit = a.limit
	a.retreat.ref = r
	from := min(a.limit, max(w.MaxInFlight, 1))
	a.move(min(int(float64(from)*min(0.8, 1-r.loss()/2)), a.limit-1))
}

// fallBack judges a step down. Losses that stay as they were while answers fell
// in proportion did not come from the limit: some requests are late at any
// limit, and to shrink for them would only refuse the others. The step is then
// taken back and not tried again for a while. When next to nothing comes back
// in time there is nothing to lose, and the limit stays low until something
// does.
func (a *Auto) fallBack(w Window) {
	now := a.standing.plus(a.flowing)
	if now.good+now.lost < 10 {
		return
	}
	ref := a.retreat.ref
	switch {
	case !a.losing():
		a.retreat.wait = 0
		a.startIdle()
	case ref.loss() < 0.9 && now.loss() > 0.8*ref.loss() && now.rate() < ref.rate()*0.8:
		a.retreat.wait = min(max(2*a.retreat.wait, minWait), maxWait)
		a.retreat.until = a.station.now + a.retreat.wait
		a.move(ref.limit)
		a.mode = idling
	default:
		a.stepDown(w)
	}
}
