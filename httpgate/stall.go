package httpgate

import (
	"sync"
	"time"

	"github.com/plimsoll-go/plimsoll"
)

// An answer holds its slot only for its caller's sake once a write of it has
// been blocked for stallAfter: what does the work has done its part, and waits
// as well. The first stallFrom bytes are not looked at: buffers take them, and
// most answers have no more.
const (
	stallFrom  = 64 << 10
	stallAfter = 100 * time.Millisecond
)

// stall moves an answer that its caller does not take out of its slot, into a
// place among the streams if there is a free one. Its deadline stays: unlike a
// stream's it bounds the answer as a whole.
type stall struct {
	ticket plimsoll.Ticket

	mu      sync.Mutex
	timer   *time.Timer
	writing bool
	left    bool // it has left its slot
}

// begin notes that a write begins.
func (s *stall) begin() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.left {
		return
	}
	s.writing = true
	if s.timer == nil {
		s.timer = time.AfterFunc(stallAfter, s.leave)
	} else {
		s.timer.Reset(stallAfter)
	}
}

// end notes that the write has ended. After it nothing touches the ticket.
func (s *stall) end() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.writing {
		s.writing = false
		s.timer.Stop()
	}
}

// leave gives the slot up, if the write is still blocked.
func (s *stall) leave() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.writing && !s.left {
		s.left = s.ticket.Detach()
	}
}

// gone reports whether the slot was given up.
func (s *stall) gone() bool {
	if s == nil {
		return false
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.left
}
