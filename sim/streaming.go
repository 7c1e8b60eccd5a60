package sim

import "github.com/plimsoll-go/plimsoll/internal/core"

// stream keeps an attempt open after its first byte, which is what its caller
// waited for: its worker is free again, and so is its slot in the gate as long
// as there is room among the gate's streams. An [Admitter] hears of the end of
// the stream only. False: it is none, or its caller has left.
func (e *engine) stream(c *call) bool {
	of := c.kind.of.Stream
	if of == nil || c.left || e.now > c.until {
		return false
	}
	st := c.station
	c.phase, c.left, c.open = streaming, true, true // nobody waits for it any more
	e.good(c)
	st.busy--
	e.at(e.now+of.Draw(e.draws.from(mix(c.id))), event{what: streamed, c: c})
	var moved *core.Waiter
	if c.machine != nil {
		_, moved = c.machine.Detach(e.now, &c.w)
	}
	e.freed(st, moved)
	return true
}

// close is the end of a stream.
func (e *engine) close(c *call) {
	st := c.station
	e.exit(c)
	e.ended(c)
	var moved *core.Waiter
	if c.machine != nil {
		moved = c.machine.Finish(e.now, &c.w, core.Success)
	}
	e.drop(c)
	e.freed(st, moved)
}

// validStream reports what is wrong with how long a kind's streams stay open.
func (k *Kind) validStream(where string, f *faults) {
	if k.Stream != nil {
		f.add(where+".Stream", k.Stream.Validate())
	}
}

// Leaver is an [Admitter] that hears of callers who leave while what they asked
// for is in flight; nothing stops it.
type Leaver interface {
	// Left is a caller that has left. In the View it is still in flight.
	Left(View, Request)
}

// leaves tells an admitter of a caller that has left what it had admitted.
func (e *engine) leaves(c *call) {
	if l, ok := c.station.admitter.(Leaver); ok && c.beside > 0 {
		l.Left(c.station.view(e.now), c.request())
	}
}
