package sim

import (
	"math"
	"time"

	"github.com/plimsoll-go/plimsoll/class"
	"github.com/plimsoll-go/plimsoll/internal/core"
)

// station is a station at work.
type station struct {
	of      *Station
	machine *core.Machine // nil: no gate
	gate    *Gate         // whose machine it is
	ticks   time.Duration // when the machine wants to be advanced
	due     time.Duration // the station: then, or when a shared job is done

	workers  int
	busy     int
	queue    list // admitted, and no worker yet
	refusals list // a worker is wanted to refuse them

	factor  float64       // by which jobs take longer
	delay   time.Duration // that jobs take on top
	stalled time.Duration // no worker moves before it
	paused  time.Duration // the length of all stalls so far
	served  int           // since its cache was cold
	shared  shared

	refused [class.Count + 1]uint64 // in the bucket that is running

	admission
	process
	rungs  rungs
	book   book
	report StationReport
}

func (st *station) open(of *Station) {
	*st = station{of: of, workers: of.Workers, factor: 1}
	st.shared = shared{of: of.Sharing, due: core.Never}
	if of.Workers == 0 {
		st.workers = math.MaxInt
	}
	st.report.Station = of.Name
	st.use(of.Gate)
	st.admission = newAdmission(of)
	st.mortal = of.mortal()
}

// use puts a fresh gate in front, or none.
func (st *station) use(g *Gate) {
	st.gate, st.machine, st.ticks, st.rungs = g, nil, core.Never, newRungs(g)
	if g != nil {
		st.machine = g.machine()
	}
	st.wake()
}

// wake works out when the station wants to be played.
func (st *station) wake() { st.due = min(st.ticks, st.shared.due) }

// tick plays a station: a shared job is done, or its machine is advanced.
func (e *engine) tick(st *station) {
	if st.shared.due > e.now {
		e.moved(st, st.machine.Advance(e.now))
		return
	}
	c := st.leave(e.now)
	c.paused = st.paused
	if c.extra > 0 {
		e.at(e.now+c.extra, event{what: done, c: c})
		return
	}
	e.done(c)
}

// moved settles what a call of the station's machine has moved.
func (e *engine) moved(st *station, w *core.Waiter) {
	for w != nil {
		next := w.Next()
		e.settle(w.Shell.(*call), w.Decision())
		w = next
	}
	e.climbed(st)
	st.ticks = st.machine.Next()
	st.wake()
}

// settle acts on a ruling.
func (e *engine) settle(c *call, d core.Decision) {
	switch d.Verdict {
	case core.Admitted:
		e.enqueue(c)
	case core.Refused:
		e.refuse(c, d.Reason)
	}
}

// enter is an attempt that reaches its station.
func (e *engine) enter(c *call) {
	st := c.station
	st.book.enter(e.now)
	switch {
	case st.mortal && !e.hold(c):
	case c.kind.early > 0:
		c.phase = looking
		e.proceed(c)
	default:
		e.knock(c)
	}
}

// exit is one that leaves it.
func (e *engine) exit(c *call) {
	st := c.station
	st.book.exit(e.now, c)
	if st.mortal {
		st.forget(c)
	}
}

// enqueue hands a job to the workers.
func (e *engine) enqueue(c *call) {
	st := c.station
	c.phase = queued
	if st.of.NewestFirst || st.turner != nil && st.turner.NewestFirst() {
		st.queue.prepend(c)
	} else {
		st.queue.append(c)
	}
	e.start(st)
}

// refuse turns an attempt away, by a worker where that costs something.
func (e *engine) refuse(c *call, why Reason) {
	c.refused(why)
	if c.station.of.RefusalCost == 0 {
		e.turnedAway(c)
		return
	}
	c.phase, c.refusing = queued, true
	c.station.refusals.append(c)
	e.start(c.station)
}

// refused counts a refusal.
func (c *call) refused(why Reason) {
	c.why = why
	c.account.Refused[why]++
	c.kind.point.Refused++
	c.station.refused[c.account.criticality]++
}

// turnedAway is a refusal that is made.
func (e *engine) turnedAway(c *call) {
	e.exit(c)
	e.rejected(c)
}

// rejected is a caller that hears of its refusal, if it is still there.
func (e *engine) rejected(c *call) {
	longest := &c.account.times.refusals[c.why]
	*longest = max(*longest, e.now-c.sent)
	c.account.times.refused.Add(e.now - c.sent)
	if !c.left {
		e.again(c, c.w.Decision().RetryAfter, core.Overloaded)
	}
	e.drop(c)
}

// start gives jobs to idle workers. Refusals go first: they are what a server
// does before it can tell what it has got.
func (e *engine) start(st *station) {
	for e.now >= st.stalled && st.busy < st.workers {
		var c *call
		switch {
		case st.refusals.n > 0:
			c = st.refusals.take()
		case st.queue.n > 0:
			c = st.queue.take()
		default:
			return
		}
		if !e.willing(c) {
			continue
		}
		st.busy++
		c.phase, c.began, c.paused = serving, e.now, st.paused
		if !c.refusing {
			c.account.times.waits.Add(e.now - c.sent)
			c.kind.jobs.began(e.now - c.sent)
		}
		e.begin(c)
	}
}

// begin has a worker begin a job.
func (e *engine) begin(c *call) {
	st := c.station
	share := 1.0
	switch {
	case c.refusing:
		share = st.of.RefusalCost
	case st.of.Cache != nil:
		share = st.of.Cache.factor(st.served)
	}
	if st.of.Sharing == nil {
		share *= st.factor
	}
	takes := c.need
	if share != 1 {
		takes = scaled(takes, share)
	}
	if st.of.Sharing != nil {
		c.worked, c.extra = takes, st.delay
		st.join(e.now, c, takes)
		return
	}
	e.at(e.now+takes+st.delay, event{what: done, c: c})
}

// done is a worker that has ended a job, or would have without a stall.
func (e *engine) done(c *call) {
	st := c.station
	if late := st.paused - c.paused; late > 0 {
		c.paused = st.paused
		e.at(e.now+late, event{what: done, c: c})
		return
	}
	if st.of.Sharing == nil {
		c.worked = e.now - c.began
	}
	if c.refusing {
		st.busy--
		c.account.Refusing += c.worked
		e.turnedAway(c)
		e.start(st)
		return
	}
	st.served++
	c.account.Worked += c.worked
	c.kind.jobs.Done++
	c.kind.jobs.Worked += c.worked
	e.served(c)
}

// served is an attempt whose own service has ended. It keeps its worker, and
// its slot, while it makes its calls.
func (e *engine) served(c *call) {
	if c.kind.early == len(c.kind.plan) {
		e.complete(c)
		return
	}
	c.phase = calling
	if c.left && c.kind.of.Client.Hangup {
		e.fail(c, core.Abandoned)
		return
	}
	if !e.proceed(c) { // it is to do without any
		e.complete(c)
	}
}

// complete is an attempt with which all is done.
func (e *engine) complete(c *call) {
	if e.stream(c) {
		return
	}
	st := c.station
	e.exit(c)
	o := core.Success
	if c.left && c.kind.of.Client.Hangup && e.now <= c.w.Item.Deadline {
		o = core.Abandoned
	}
	moved := e.release(c, o)
	e.answer(c)
	e.freed(st, moved)
}

// release gives worker and slot back. Those that the gate has moved are to be
// handed to freed.
func (e *engine) release(c *call, o core.Outcome) *core.Waiter {
	st := c.station
	st.busy--
	e.ended(c)
	if c.machine == nil {
		return nil
	}
	return c.machine.Finish(e.now, &c.w, o)
}

// freed gives what was released to others.
func (e *engine) freed(st *station, moved *core.Waiter) {
	if st.machine != nil {
		e.moved(st, moved)
	}
	e.letIn(st)
	e.start(st)
}

// answer is an answer that reaches its caller, if it is still there.
func (e *engine) answer(c *call) {
	a := c.account
	switch {
	case !c.left && e.now <= c.until:
		e.good(c)
	default:
		a.Late++
		c.kind.point.Late++
		c.waste()
		if !c.left {
			a.GaveUp++
			e.again(c, 0, core.TimedOut)
		}
	}
	e.drop(c)
}

// good counts an answer in time, and hands it to its caller.
func (e *engine) good(c *call) {
	a := c.account
	a.Good++
	a.times.latencies.Add(e.now - c.born)
	a.times.slowest = max(a.times.slowest, e.now-c.born)
	c.kind.point.Good++
	c.kind.guards.heard(e.now, c.ticket, core.Success)
	e.reply(c, core.Success)
}

// waste counts the work on an attempt that nobody has anything of.
func (c *call) waste() {
	c.account.Wasted += c.worked + c.below
	c.kind.jobs.Wasted += c.worked + c.below
}
