package sim

import (
	"time"

	"github.com/plimsoll-go/plimsoll/internal/core"
)

// station is a station at work.
type station struct {
	of      *Station
	machine *core.Machine // nil: no gate
	due     time.Duration // when the machine wants to be advanced

	workers  int
	busy     int
	queue    list // admitted, and no worker yet
	refusals list // a worker is wanted to refuse them

	factor  float64       // by which jobs take longer
	delay   time.Duration // that jobs take on top
	stalled time.Duration // no worker moves before it
	paused  time.Duration // the length of all stalls so far

	book   book
	report StationReport
}

func (st *station) open(of *Station) {
	*st = station{of: of, due: core.Never, workers: of.Workers, factor: 1}
	st.report.Station = of.Name
	if of.Gate != nil {
		st.machine = of.Gate.machine()
	}
}

// moved settles what a call of the station's machine has moved.
func (e *engine) moved(st *station, w *core.Waiter) {
	for w != nil {
		next := w.Next()
		e.settle(w.Shell.(*call), w.Decision())
		w = next
	}
	st.due = st.machine.Next()
}

// settle acts on a ruling.
func (e *engine) settle(c *call, d core.Decision) {
	switch d.Verdict {
	case core.Admitted:
		c.gated = false
		e.enqueue(c)
	case core.Refused:
		c.gated = false
		e.refuse(c, d.Reason)
	}
}

// enqueue hands a job to the workers.
func (e *engine) enqueue(c *call) {
	st := c.station
	if st.of.NewestFirst {
		st.queue.prepend(c)
	} else {
		st.queue.append(c)
	}
	e.start(st)
}

// refuse turns an attempt away, by a worker where that costs something.
func (e *engine) refuse(c *call, why Reason) {
	c.kind.tally.Refused[why]++
	e.point.Refused++
	if c.station.of.RefusalCost == 0 {
		e.turnedAway(c)
		return
	}
	c.refusing = true
	c.station.refusals.append(c)
	e.start(c.station)
}

// turnedAway is a caller that hears of its refusal.
func (e *engine) turnedAway(c *call) {
	c.station.book.exit(e.now, c)
	if !c.left {
		e.again(c, c.w.Decision().RetryAfter)
	}
	e.drop(c)
}

// start gives jobs to idle workers. Refusals go first: they are what a server
// does before it can tell what it has got.
func (e *engine) start(st *station) {
	for e.now >= st.stalled && (st.of.Workers == 0 || st.busy < st.workers) {
		var c *call
		switch {
		case st.refusals.n > 0:
			c = st.refusals.take()
		case st.queue.n > 0:
			c = st.queue.take()
		default:
			return
		}
		st.busy++
		c.began, c.paused = e.now, st.paused
		share := st.factor
		if c.refusing {
			share *= st.of.RefusalCost
		} else {
			c.kind.tally.Waits.Add(e.now - c.sent)
			e.point.Started++
			e.point.Waited += e.now - c.sent
		}
		takes := c.need
		if share != 1 {
			takes = scaled(takes, share)
		}
		e.at(e.now+takes+st.delay, event{what: done, c: c})
	}
}

// done is a worker that has ended a job, or would have without a stall.
func (e *engine) done(c *call) {
	st := c.station
	if late := st.paused - c.paused; late > 0 {
		c.paused = st.paused
		e.at(e.now+late, event{what: done, c: c})
		return
	}
	st.busy--
	t := &c.kind.tally
	if c.refusing {
		t.Refusing += e.now - c.began
		e.turnedAway(c)
		e.start(st)
		return
	}
	e.point.Done++
	t.Worked += e.now - c.began
	st.book.exit(e.now, c)
	var moved *core.Waiter
	if st.machine != nil {
		moved = st.machine.Finish(e.now, &c.w, core.Success)
	}
	e.answer(c)
	if st.machine != nil {
		e.moved(st, moved)
	}
	e.start(st)
}

// answer is an answer that reaches its caller, if it is still there.
func (e *engine) answer(c *call) {
	t := &c.kind.tally
	switch {
	case !c.left && e.now <= c.until:
		t.Good++
		t.Latencies.Add(e.now - c.born)
		e.point.Good++
	default:
		t.Late++
		t.Wasted += e.now - c.began
		e.point.Late++
		if !c.left {
			t.GaveUp++
			e.again(c, 0)
		}
	}
	e.drop(c)
}
