package sim

import (
	"time"

	"github.com/plimsoll-go/plimsoll/internal/core"
	"github.com/plimsoll-go/plimsoll/queue"
)

// process is a station that may be killed.
type process struct {
	index  int32 // among the stations
	mortal bool  // it may
	inside *call // the oldest that is
	latest *call
	used   int64         // bytes of memory by all inside
	doomed bool          // it has used too much
	down   time.Duration // until when
}

func (s *Station) mortal() bool {
	for _, d := range s.Disturbances {
		if _, ok := d.Effect.(Restart); ok {
			return true
		}
	}
	return s.Memory != nil
}

// hold lets an attempt in. False: the process is down, and it has failed.
func (e *engine) hold(c *call) bool {
	st := c.station
	if e.now < st.down {
		st.book.exit(e.now, c)
		e.broken(c)
		return false
	}
	c.older, c.younger = st.latest, nil
	if st.latest != nil {
		st.latest.younger = c
	} else {
		st.inside = c
	}
	st.latest = c
	st.used += c.kind.bytes
	m := st.of.Memory
	if m == nil {
		return true
	}
	st.report.MostUsed = max(st.report.MostUsed, st.used)
	if st.used > m.Most && !st.doomed {
		st.doomed = true
		e.at(e.now, event{what: killing, n: st.index})
	}
	return true
}

// forget is an attempt that leaves.
func (st *station) forget(c *call) {
	if c.older != nil {
		c.older.younger = c.younger
	} else {
		st.inside = c.younger
	}
	if c.younger != nil {
		c.younger.older = c.older
	} else {
		st.latest = c.older
	}
	c.older, c.younger = nil, nil
	st.used -= c.kind.bytes
}

// kill ends a process for so long: everybody inside fails, in the order in
// which they came.
func (e *engine) kill(st *station, length time.Duration) {
	st.report.Restarts++
	st.down = max(st.down, e.now+length)
	e.at(e.now+length, event{what: back, n: st.index})
	st.fresh(e.now)
	// First all of them end, so that nobody looks for one in what is gone.
	for c := st.inside; c != nil; c = c.younger {
		e.cut(c)
	}
	for st.inside != nil {
		c := st.inside
		e.abandon(c)
		e.exit(c)
		switch {
		case c.open:
			e.drop(c) // it had its answer
		case c.refusing:
			e.rejected(c)
		default:
			e.broken(c)
		}
	}
}

// fresh is a new process in the place of the old one.
func (st *station) fresh(now time.Duration) {
	st.cutShared(now)
	st.busy, st.queue, st.refusals = 0, list{}, list{}
	st.stalled, st.doomed, st.served = 0, false, 0
	st.shared.at = st.clock(now)
	st.use(st.gate)
	st.admission = newAdmission(st.of)
}

// cut ends an attempt with its process.
func (e *engine) cut(c *call) {
	if c.phase == serving {
		if c.station.of.Sharing == nil {
			c.worked = e.now - c.began
		}
		if c.refusing {
			c.account.Refusing += c.worked
		} else {
			c.account.Worked += c.worked
			c.kind.jobs.Worked += c.worked
		}
	}
	c.phase, c.next = killed, nil
	c.w = core.Waiter{Shell: c, Item: queue.Item{Rank: c.w.Item.Rank, Tenant: c.w.Item.Tenant, Cost: c.w.Item.Cost}}
}
