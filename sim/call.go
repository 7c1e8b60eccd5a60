package sim

import (
	"time"

	"github.com/plimsoll-go/plimsoll/internal/core"
)

// call is one attempt of a request, from when it is sent, or its caller begins
// to wait before sending it, until the station has done with it. An attempt
// whose caller has left may go on; the caller's next is another call.
type call struct {
	w       core.Waiter
	kind    *kind
	station *station
	next    *call  // in a list of the station, or of the free ones
	gen     uint32 // how often it was used before

	attempt  int
	born     time.Duration // when the first attempt was sent
	sent     time.Duration // when this one was
	until    time.Duration // when its caller's patience ends
	patience time.Duration
	need     time.Duration // of a worker's time
	began    time.Duration // when a worker began
	paused   time.Duration // of the station, up to then

	gated    bool // waits in the gate's queue
	left     bool // its caller has
	refusing bool // a worker is wanted to refuse it
}

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
func (e *engine) take(k *kind) *call {
	c := e.free
	if c == nil {
		c = new(call)
		c.w.Shell = c
	} else {
		e.free, c.next = c.next, nil
	}
	c.kind, c.station = k, k.station
	c.gated, c.left, c.refusing = false, false, false
	e.calls++
	return c
}

// drop takes back a call that nobody holds any more.
func (e *engine) drop(c *call) {
	c.gen++
	c.next, e.free = e.free, c
	e.calls--
}
