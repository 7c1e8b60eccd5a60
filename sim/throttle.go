package sim

import "time"

// Throttle keeps a kind's callers from sending what would be refused: of their
// attempts, those held back included, the share
//
//	max(0, (requests - K accepts) / (requests + 1))
//
// is held, by what the last Window has seen; accepts are those that were
// answered in time (Google's SRE book, "Handling Overload", "Client-Side
// Throttling"). Whatever the share, one attempt a second is sent, without which
// nobody would find out that the station is back.
type Throttle struct {
	// K is how many attempts are sent for each that is accepted: the lower, the
	// fewer are refused, and the later a recovery is seen. Zero: 2, as in the
	// book.
	K float64
	// Window is how long an attempt counts. Zero: two minutes, as in the book.
	Window time.Duration
}

// Defaults of [Throttle].
const (
	DefaultK      = 2
	DefaultWindow = 2 * time.Minute
)

func (h *Throttle) validate(where string, f *faults) {
	f.want(h.K == 0 || h.K >= 1 && h.K <= 1e6, where+".K", "want 1 or more, have %v", h.K)
	f.want(h.Window >= 0 && h.Window <= longest, where+".Window", "want a time of 0 or more, have %v", h.Window)
	f.want(false, where, "throttles are not played yet")
}
