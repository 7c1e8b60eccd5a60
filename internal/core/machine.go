package core

import (
	"math/rand/v2"
	"time"

	"github.com/plimsoll-go/plimsoll/ladder"
	"github.com/plimsoll-go/plimsoll/limit"
	"github.com/plimsoll-go/plimsoll/queue"
)

// Machine admits, queues and refuses. Make one with [New]. See the package
// comment for the contract between it and its caller.
type Machine struct {
	cfg  Config
	word *Word
	now  time.Duration

	queue     queue.Queue
	slots     int // that may be in flight now; see resize
	bound     int // places the queue should have now; see resize
	places    int // places in force in the queue
	inFlight  int // mirrors the word; true between enter and leave
	streams   int // have left their slot
	reserved  int // stream places held by work that still holds its slot
	draining  bool
	recovered time.Duration // when the ramp began
	ramp      time.Duration // how long it lasts; 0: no ramp
	inUse     int           // slots that it goes up to
	rises     time.Duration // when it rises next, whatever else happens before

	next   limit.Next // the limit in force and what its window needs
	epoch  uint16     // counts changes of the limit
	active bool       // a window is running; false: at rest
	win    window
	service

	ladder      *ladder.Ladder // nil: none
	delayed     bool           // it goes by the queue's delay
	trouble     bool           // somebody was shed in the last window
	over        bool           // somebody was shed lately, with every tier on
	shed        time.Duration  // when, if over
	patient     bool           // the queue is told that it does not stand
	draws       rand.PCG       // who is exercised
	exercised   uint64         // of those admitted here
	transitions []ladder.Transition

	shares shares
	counts Counts
	moved  moved
}

// New returns a machine at rest.
func New(c Config) *Machine {
	m := &Machine{cfg: c, word: new(Word)}
	m.setLadder()
	m.setNext(c.Limit.Start())
	m.queue.Configure(0, c.queueConfig(0, m.standing()))
	m.leave()
	return m
}

// Word returns the part of the machine that may be used without the lock.
func (m *Machine) Word() *Word { return m.word }

// enter takes the word from the fast paths and moves time on. Every method
// that rules begins with it and ends with leave.
func (m *Machine) enter(now time.Duration) {
	m.inFlight = m.word.close()
	m.now = max(m.now, now)
	if m.cfg.PromoteAfter > 0 {
		m.queue.Promote(m.now)
	}
}

// leave gives the word back. It is open when the next arrival's admission
// would depend on nothing but a free slot.
func (m *Machine) leave() {
	if m.ladder != nil {
		m.observe()
	}
	depth := m.queue.Depth()
	open := m.active && depth == 0 && m.inFlight < m.slots && !m.draining && !m.countsInFlight() && !m.shared()
	slots := m.slots
	if m.draining {
		slots = MaxLimit // see Word.Full
	}
	m.word.store(m.inFlight, slots, m.epoch, open)
	m.win.watch(m.now, depth)
	m.counts.HighInFlight = max(m.counts.HighInFlight, m.inFlight)
	m.counts.HighDepth = max(m.counts.HighDepth, depth)
	level, why := m.level()
	retry := time.Duration(0)
	if level != 0 || m.inFlight >= m.slots {
		retry = m.retryAfter(Busy) // the same for all that a slot would have helped
	}
	m.word.publish(level, why, retry, m.need())
	m.word.degrade(m.plan())
}

// resize works out how many slots and places there are. It is called whenever
// what they depend on has changed: the limit, the service time, the
// configuration, the ramp after a recovery.
func (m *Machine) resize() {
	n := m.next.Limit
	if m.cfg.Utilisation < 1 {
		n = int(float64(m.cfg.Utilisation * float64(n)))
	}
	if m.ramp > 0 {
		n = int(mulDiv(m.now-m.recovered, min(n, m.inUse), m.ramp))
	}
	m.slots = min(max(n, 1), MaxLimit)
	m.bound = m.boundNow()
}

// Next returns when Advance is wanted, Never at rest.
func (m *Machine) Next() time.Duration {
	at := Never
	if l := m.queue.NextLeave(); l != queue.Never {
		at = l + 1 // a waiter may still be served at the very end of its time
	}
	if m.active {
		at = min(at, m.win.due)
	}
	if m.ramp > 0 {
		at = min(at, m.rises)
	}
	if m.ladder != nil {
		at = min(at, m.ladder.Next())
	}
	return at
}

// Advance does whatever is due: waiters whose time is up leave, a window ends,
// the ramp rises, a tier goes on or off. It returns those it has moved.
func (m *Machine) Advance(now time.Duration) *Waiter {
	m.enter(now)
	for it := m.queue.Expired(m.now); it != nil; it = m.queue.Expired(m.now) {
		m.expire(it.Owner.(*Waiter))
	}
	if m.active && m.now >= m.win.due {
		m.endWindow()
	}
	if m.ramp > 0 {
		if m.now-m.recovered >= m.ramp {
			m.ramp = 0
		}
		m.rises = m.rampStep()
		m.resize()
	}
	m.grant()
	m.leave()
	return m.moved.take()
}

// InFlight returns how many hold a slot. Between calls the fast paths change
// it.
func (m *Machine) InFlight() int { return int(m.word.v.Load() & fieldMask) }

// Status is what a machine looks like between two calls.
type Status struct {
	Limit, Slots, InFlight, Streams, Depth, Places int
	Saturated, NewestFirst, Draining, Recovering   bool
	QueueBytes                                     int64         // that waiters hold
	Service                                        time.Duration // mean slot time, given or measured; 0: unknown
	PredictedDelay                                 time.Duration
}

// Status reports what the machine looks like.
func (m *Machine) Status(now time.Duration) Status {
	m.enter(now)
	defer m.leave()
	return Status{
		Limit: m.next.Limit, Slots: m.slots, InFlight: m.inFlight, Streams: m.streams,
		Depth: m.queue.Depth(), Places: m.bound, QueueBytes: m.queue.Bytes(),
		Saturated: m.next.Saturated, NewestFirst: m.queue.NewestFirst(m.now),
		Draining: m.draining, Recovering: m.ramp > 0,
		Service: m.serviceTime(), PredictedDelay: m.drainTime(m.queue.Depth()),
	}
}

// Lane reports how many wait in a lane and since when the oldest does.
func (m *Machine) Lane(lane int) (depth int, oldest time.Duration, ok bool) {
	oldest, ok = m.queue.Oldest(lane)
	return m.queue.LaneDepth(lane), oldest, ok
}
