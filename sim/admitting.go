package sim

import (
	"time"

	"github.com/plimsoll-go/plimsoll/internal/core"
)

// admission is the part of a station that an [Admitter] rules.
type admission struct {
	admitter Admitter // nil: there is none
	turner   Turner   // the same, where it is one
	waiting  list     // for it
	inFlight int      // admitted and not done
	peak     int      // with [Sharing]: how many it serves best
}

// newAdmission is that of a process that has just been started.
func newAdmission(of *Station) admission {
	if of.Admitter == nil {
		return admission{}
	}
	a := admission{admitter: of.Admitter()}
	a.turner, _ = a.admitter.(Turner)
	if of.Sharing != nil {
		a.peak, _ = of.Sharing.Peak(of.Workers)
	}
	return a
}

// pass is what an attempt notes when an [Admitter] has admitted it.
type pass struct {
	admitted time.Duration // when
	beside   int           // in flight then, itself included
}

func (st *station) view(now time.Duration) View {
	v := View{Now: now, InFlight: st.inFlight, Waiting: st.waiting.n, Busy: st.busy, Workers: st.workers}
	if st.of.Sharing != nil {
		v.Workers = st.peak
		v.Busy = min(v.Busy, v.Workers)
	}
	return v
}

func (c *call) request() Request {
	return Request{Number: c.sender(), Rank: c.w.Item.Rank, Sent: c.sent, Late: c.w.Item.Deadline}
}

// apply puts an attempt before its station's admitter.
func (e *engine) apply(c *call) {
	st := c.station
	c.w = core.Waiter{Shell: c, Item: c.w.Item} // no ruling of a gate
	switch st.admitter.Arrive(st.view(e.now), c.request()) {
	case Admit:
		e.admit(c)
	case Wait:
		c.phase = gated
		st.waiting.append(c)
	default:
		e.refuse(c, Busy)
	}
}

func (e *engine) admit(c *call) {
	st := c.station
	st.inFlight++
	c.pass = pass{e.now, st.inFlight}
	e.enqueue(c)
}

// willing asks the admitter, where there is one, once a worker is free for an
// attempt. False: it has been dropped.
func (e *engine) willing(c *call) bool {
	st := c.station
	if st.admitter == nil || c.refusing || st.admitter.Begin(st.view(e.now), c.request(), e.now-c.sent) {
		return true
	}
	st.inFlight--
	c.pass = pass{}
	e.refuse(c, Dropped)
	return false
}

// ended tells the admitter that admitted an attempt, where one did.
func (e *engine) ended(c *call) {
	st := c.station
	if c.beside == 0 {
		return
	}
	st.inFlight--
	st.admitter.End(st.view(e.now), c.request(), Served{Admitted: c.admitted, InFlight: c.beside})
}

// letIn lets in those that wait, as long as there is room.
func (e *engine) letIn(st *station) {
	for st.waiting.n > 0 && st.admitter.Room(st.view(e.now)) {
		c := st.waiting.take()
		if e.now > c.w.Item.Deadline {
			e.refuse(c, Expired)
			continue
		}
		e.admit(c)
	}
}

// withdraw takes an attempt out of those that wait.
func (e *engine) withdraw(c *call) {
	c.station.waiting.remove(c)
	e.refuse(c, Cancelled)
}

// remove takes a call out of the list, which it is in.
func (l *list) remove(c *call) {
	var before *call
	for at := l.head; at != c; at = at.next {
		before = at
	}
	if before == nil {
		l.take()
		return
	}
	before.next, c.next = c.next, nil
	if l.tail == c {
		l.tail = before
	}
	l.n--
}
