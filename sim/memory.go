package sim

import "time"

// Memory is what a process may use: what is inside its station, waiting for
// the gate, for a worker, with one or for its calls, holds memory until it has
// left. One byte more than Most and the process is killed, as the kernel's
// out-of-memory killer does: everybody inside fails at once, arrivals fail at
// once until it is back, and its gate is a new one then.
type Memory struct {
	Each    int64         // bytes of a request whose Kind.Bytes or Call.Bytes is 0
	Most    int64         // bytes of all together, above 0
	Restart time.Duration // from its end until it is back
}

func (m *Memory) validate(where string, f *faults) {
	f.want(m.Each >= 0, where+".Each", "want 0 bytes or more, have %d", m.Each)
	f.want(m.Most > 0, where+".Most", "want more than 0 bytes, have %d", m.Most)
	f.want(m.Restart >= 0 && m.Restart <= longest, where+".Restart", "want a time of 0 or more, have %v", m.Restart)
}

// Restart kills the process and brings it back after so long: what [Memory]
// does to one that is out of it.
type Restart time.Duration

func (d Restart) apply(e *engine, st *station) { e.kill(st, time.Duration(d)) }

func (d Restart) validate() error { return validTime(time.Duration(d)) }
