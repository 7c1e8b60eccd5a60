package sim

import (
	"errors"
	"math/rand/v2"
	"time"
)

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
	f.want(false, where, "memory is not played yet")
}

// Restart kills the process and brings it back after so long: what [Memory]
// does to one that is out of it.
type Restart time.Duration

func (d Restart) apply(*station, time.Duration) {}

func (d Restart) validate() error {
	if err := validTime(time.Duration(d)); err != nil {
		return err
	}
	return errors.New("restarts are not played yet")
}

// Reconnect arrives whenever the station of its source is back after a
// restart: N clients, each of which costs the Service of its kind, a
// handshake. [Batch] is such a wave without a restart.
type Reconnect struct {
	N int
	// Over is the time over which they spread at random, as clients that wait
	// for a random time do. Zero: all at once.
	Over time.Duration
}

// Next implements [Arrivals]: nothing arrives by itself.
func (a Reconnect) Next(c Cursor, _ *rand.Rand) (Cursor, bool) { return c, false }

// Validate implements [Arrivals].
func (a Reconnect) Validate() error {
	if a.N < 0 || a.N > 1e7 || a.Over < 0 || a.Over > longest {
		return errors.New("want a number from 0 to 1e7 and a time of 0 or more")
	}
	return errors.New("reconnections are not played yet")
}
