package sim

import (
	"time"

	"github.com/plimsoll-go/plimsoll/internal/core"
)

// UseGate puts another gate in front of a station, or none (nil). Who waits for
// the old gate or for a worker is put before the new one, in order, as by a
// server whose queue the gate replaces: what has no use any more is refused.
// What a worker has begun is finished, and the new gate does not know of it.
type UseGate struct{ Gate *Gate }

func (u UseGate) validate() error {
	if u.Gate == nil {
		return nil
	}
	return u.Gate.validate()
}

func (u UseGate) apply(e *engine, st *station) {
	var waiting list
	if u.Gate != nil {
		waiting, st.queue = st.queue, list{}
	}
	if st.machine != nil {
		// Recover empties the queue of a gate; nobody hears of it.
		for w := st.machine.Recover(e.now, 0); w != nil; {
			next := w.Next()
			c := w.Shell.(*call)
			c.machine = nil
			waiting.append(c)
			w = next
		}
	}
	st.use(u.Gate)
	for waiting.n > 0 {
		e.transfer(waiting.take())
	}
}

// transfer puts an attempt before the gate that has replaced what it waited
// for.
func (e *engine) transfer(c *call) {
	if c.machine != nil {
		c.machine.Finish(e.now, &c.w, core.Ignored)
	}
	if c.left && c.kind.of.Client.Hangup {
		e.refuse(c, Cancelled)
		return
	}
	e.knock(c)
}

// Recover is an operator's way out of a state in which capacity goes to callers
// that have left: it does what the Recover of a live gate does. The gate
// refuses everybody who waits, and hands its slots out again on a linear ramp.
// At a station without a gate it does nothing.
type Recover struct {
	Ramp time.Duration // zero: all slots at once
}

func (r Recover) validate() error { return validTime(r.Ramp) }

func (r Recover) apply(e *engine, st *station) {
	if st.machine != nil {
		e.moved(st, st.machine.Recover(e.now, r.Ramp))
	}
}
