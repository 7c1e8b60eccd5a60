package sim

import (
	"time"

	"github.com/plimsoll-go/plimsoll/breaker"
	"github.com/plimsoll-go/plimsoll/internal/core"
)

// call is one attempt of a request, or of a call that serving one makes: from
// when it is sent, or its caller begins to wait before sending it, until the
// station has done with it. An attempt whose caller has left may go on; the
// caller's next is another call.
type call struct {
	w       core.Waiter // its Item says what it inherits to its calls, gate or not
	kind    *kind
	account *account
	station *station
	machine *core.Machine // that rules on it; nil: there is no gate
	next    *call         // in a list of the station, or of the free ones
	gen     uint32        // how often it was used before
	phase   phase

	left     bool // its caller has
	refusing bool // a worker is wanted to refuse it
	open     bool // it was answered with a stream that has not ended
	givenUp  bool // it failed for a call that was
	why      Reason

	attempt  int
	id       uint64        // of the request among all: what it and its calls need is drawn from it
	born     time.Duration // when the first attempt was sent
	sent     time.Duration // when this one was
	until    time.Duration // when its caller's patience ends
	patience time.Duration
	need     time.Duration  // of a worker's time
	ticket   breaker.Ticket // of its caller's breaker
	began    time.Duration  // when a worker began
	paused   time.Duration  // of the station, up to then
	worked   time.Duration  // by a worker, in the end
	extra    time.Duration  // that it takes after its share of work

	pass
	*branch // the engine's empty one where none is needed
}

// phase is where an attempt is.
type phase uint8

const (
	away      phase = iota // with its caller
	looking                // makes its calls before the gate
	gated                  // in the gate's queue
	queued                 // admitted, or to be refused, and no worker yet
	serving                // has a worker
	calling                // makes its calls, with a worker
	streaming              // its stream is open, and it has no worker
	killed                 // its process was
)

// list is a queue of calls.
type list struct {
	head, tail *call
	n          int
}

func (l *list) append(c *call) {
	if l.tail == nil {
		l.head = c
	} else {
		l.tail.next = c
	}
	l.tail = c
	l.n++
}

func (l *list) prepend(c *call) {
	c.next = l.head
	l.head = c
	if l.tail == nil {
		l.tail = c
	}
	l.n++
}

func (l *list) take() *call {
	c := l.head
	l.head, c.next = c.next, nil
	if l.head == nil {
		l.tail = nil
	}
	l.n--
	return c
}

// take returns an unused call.
func (e *engine) take(k *kind, a *account) *call {
	c := e.free
	if c == nil {
		c = new(call)
		c.w.Shell, c.branch = c, &e.bare
	} else {
		e.free, c.next = c.next, nil
	}
	c.kind, c.account, c.station, c.machine = k, a, k.station, nil
	c.phase, c.left, c.refusing, c.open, c.givenUp = away, false, false, false, false
	c.worked, c.pass = 0, pass{}
	if k.branches {
		c.branch = e.sprout()
	}
	e.calls++
	return c
}

// drop takes back a call that nobody holds any more. Its events are void.
func (e *engine) drop(c *call) {
	if c.branch != &e.bare {
		c.branch.next, e.sprouts = e.sprouts, c.branch
		c.branch = &e.bare
	}
	c.gen++
	c.next, e.free = e.free, c
	e.calls--
}
