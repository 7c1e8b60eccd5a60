package limit

// retreat is the state of giving way to losses.
type retreat struct {
	ref        tally   // the limit before the last step down
	background float64 // the share that is lost whatever the limit
}

// startRetreat lowers the limit in proportion to the losses, by a fifth at
// least and by half at most.
func (a *Auto) startRetreat(w Window) {
	a.mode = retreating
	a.stepDown(w)
}

// stepDown lowers the limit; what was counted at it is the reference. Above the
// ceiling everything is late.
func (a *Auto) stepDown(w Window) {
	r := a.standing.plus(a.flowing)
	r.limit = a.limit
	a.retreat.ref = r
	from := min(a.limit, max(w.MaxInFlight, 1))
	to := min(int(float64(from)*min(0.8, 1-r.loss()/2)), a.limit-1)
	if a.held.good+a.held.lost >= a.limit { // all slots have turned over
		to = min(to, a.station.ceiling(a.held.finished()))
	}
	a.move(to)
}

// fallBack judges a step down. Losses that stay as they were while no more is
// answered did not come from the limit: some requests are late at any limit, and
// to shrink for them would only refuse the others. The step is taken back and
// that share is background from then on. When next to nothing comes back in time
// there is nothing to lose, and the limit stays low until something does.
func (a *Auto) fallBack(w Window) {
	now := a.standing.plus(a.flowing)
	if now.good+now.lost < 10 {
		return
	}
	ref := a.retreat.ref
	switch {
	case !a.losing():
		a.startIdle()
	case ref.loss() < 0.9 && now.good+now.lost < 50:
		// A share takes more than a few answers to be compared.
	case ref.loss() < 0.9 && !a.forsaken(now) && now.loss() > 0.8*ref.loss() && now.rate() < ref.rate()*1.05 && !a.idleSlots(ref, now):
		a.retreat.background = min(now.plus(ref).likelyLoss(), 0.9)
		a.move(ref.limit)
		a.startIdle()
	default:
		a.stepDown(w)
	}
}

// idleSlots says whether what the last step took away only waited: most of what
// finishes is late, and as far as can be told no less finishes without it. Then
// the backend's own queue is what makes it late, and that is to become shorter
// still. In doubt it is: of answers that are mostly late there is little to lose.
func (a *Auto) idleSlots(ref, now tally) bool {
	if now.loss() <= 0.5 || a.limit <= a.cfg.Min {
		return false
	}
	ln, se := gain(ref.whenever(), now.whenever())
	return ln+se > log(float64(now.limit)/float64(ref.limit))/2
}

// forgive lowers the background to what is lost now, once less is.
func (a *Auto) forgive() {
	if t := a.standing.plus(a.flowing); t.good+t.lost >= 50 {
		a.retreat.background = min(a.retreat.background, t.likelyLoss())
	}
}
