package limit

import "time"

const (
	// patienceKept is how long it is remembered after what time callers leave.
	// While the limit is right, hardly any do.
	patienceKept = time.Minute
	// farLonger is how many times the unhindered time of a slot has passed when
	// who leaves is taken to have left for the waiting's sake.
	farLonger = 2
	// manyLeave: one in so many of those whose work ended.
	manyLeave = 5
)

// heed has those speak who leave without having said how long they would wait.
//
// Where many leave whose work had been running for far longer than it takes
// unhindered, that is work that came too late, and when they leave is how long
// callers wait, whatever else the gate was told: a route's timeout is no caller's
// patience. Without that, a limit at which nobody is served in time would look
// like one at which nothing happens. Who leaves sooner, or where few do, says
// nothing: people change their minds, and hedged calls are called off.
func (s *station) heed(w Window) Window {
	if n := s.leavers(w); n > 0 && manyLeave*n >= w.Good+w.Lost+n {
		w.Lost += n
		all := float64(w.Left.Count())
		s.patience = toward(s.patience, w.Left.Quantile(1-float64(n)/(2*all)), float64(n)/float64(n+20))
		s.left = w.End
	}
	switch {
	case s.patience == 0:
	case w.End-s.left > patienceKept:
		s.patience = 0
	case w.Budget == 0 || w.Budget > s.patience:
		w.Budget = s.patience
	}
	return w
}

// leavers is how many left who had been waited for far longer than it takes
// unhindered, as far as that is known.
func (s *station) leavers(w Window) int {
	if w.Left == nil || w.Left.Count() == 0 {
		return 0
	}
	unhindered := s.base
	if unhindered == 0 {
		unhindered = s.early
	}
	return int(w.Left.Count() - w.Left.CumulativeLE(farLonger*unhindered))
}

// fall takes a leap back at which callers leave, nearly all of them. Those whose
// slots were granted before it have left as well, once twice the time that
// anybody waits has passed, whether or not the slots have turned over.
func (a *Auto) fall(w Window) bool {
	if a.search.phase != reference || a.search.leaps == 0 {
		return false
	}
	a.search.since.add(w)
	if t := a.search.since; t.time < 2*a.station.patience || t.lost < refEnough || !a.forsaken(t) {
		return false
	}
	a.move(a.search.from)
	a.startIdle()
	return true
}

// forsaken says whether callers leave, nearly all of them: what was answered at
// the limit before is then of another time, and no reason to go back to it.
func (a *Auto) forsaken(t tally) bool { return a.station.patience > 0 && t.loss() >= 0.9 }
