package sim

import (
	"math/rand/v2"
	"time"
)

// Throttle keeps a kind's callers from sending what would be refused: of their
// attempts, those held back included, the share
//
//	max(0, (requests - K accepts) / (requests + 1))
//
// is held, by what the last Window has seen; accepts are those that were
// answered in time (Google's SRE book, "Handling Overload", "Client-Side
// Throttling"). Whatever the share, one attempt a second is sent, without which
// nobody would find out that the station is back. From there on what is sent
// doubles in about a third of the Window, with a K of 2.
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
}

// least is how long a throttle holds everybody back at most.
const least = time.Second

// throttle is a throttle at work. It counts attempts and how many of them were
// accepted.
type throttle struct {
	k      float64
	recent recent
	next   time.Duration // from when on an attempt is sent in any case
}

const (
	attempts = iota
	accepts
)

func newThrottle(of *Throttle) *throttle {
	h := &throttle{k: of.K, recent: newRecent(of.Window)}
	if of.K == 0 {
		h.k = DefaultK
	}
	if of.Window == 0 {
		h.recent = newRecent(DefaultWindow)
	}
	return h
}

// pass reports whether an attempt is sent. It draws for each, so that those to
// come meet the same numbers whatever became of it.
func (h *throttle) pass(now time.Duration, r *rand.Rand) bool {
	h.recent.move(now)
	n, lot := float64(h.recent.sum[attempts]), r.Float64()
	hold := (n - float64(h.k*float64(h.recent.sum[accepts]))) / (n + 1)
	h.recent.count(now, attempts)
	if lot < hold && now < h.next {
		return false
	}
	h.next = now + least
	return true
}

// accepted is an attempt that was answered in time.
func (h *throttle) accepted(now time.Duration) { h.recent.count(now, accepts) }
