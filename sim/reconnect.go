package sim

import (
	"errors"
	"math/rand/v2"
	"time"
)

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
	if a.N < 0 || a.N > 1e6 || a.Over < 0 || a.Over > longest {
		return errors.New("want a number from 0 to 1e6 and a time of 0 or more")
	}
	return nil
}

// rejoin is a process that is back: who was connected comes back.
func (e *engine) rejoin(st *station) {
	if e.now < st.down {
		return
	}
	for i := range e.sources {
		src := &e.sources[i]
		a, ok := src.of.Arrivals.(Reconnect)
		if !ok || &e.stations[src.of.Station] != st {
			continue
		}
		for range a.N {
			at := e.now
			if a.Over > 0 {
				at += scaled(a.Over, src.random.Float64())
			}
			if at < e.s.Length {
				e.at(at, event{what: joining, n: src.index})
			}
		}
	}
}

// join is a client that comes back.
func (e *engine) join(src *source) {
	src.cursor.N++
	e.send(e.request(src))
}
