package port

import (
	"slices"
	"sync"
	"time"
)

// restTick is how long reading on rests, at least; at most twice as long.
//
// It is how net/http notices that the caller of a request of HTTP/1.1 leaves:
// once the request is there as a whole, it lifts the deadline and reads one
// byte on a goroutine of its own, until the handler returns. Most requests are
// served before anybody could leave, and then the read, and what interrupts it,
// are for nothing. So it begins after a rest, which the end of the request ends
// as well. Whoever leaves at once is noticed that much later.
const restTick = 10 * time.Millisecond

// rests are the connections of a socket that rest, in two generations: at each
// tick the old one is woken, and the young one is old.
type rests struct {
	mu      sync.Mutex
	young   []*connection
	old     []*connection
	timer   *time.Timer
	ticking bool
}

// add needs c.mu.
func (r *rests) add(c *connection) {
	r.mu.Lock()
	defer r.mu.Unlock()
	c.young, c.at = true, len(r.young)
	r.young = append(r.young, c)
	switch {
	case r.ticking:
	case r.timer == nil:
		r.timer = time.AfterFunc(restTick, r.tick)
	default:
		r.timer.Reset(restTick)
	}
	r.ticking = true
}

// remove takes out what may have been taken out. It needs c.mu.
func (r *rests) remove(c *connection) {
	r.mu.Lock()
	defer r.mu.Unlock()
	of := &r.old
	if c.young {
		of = &r.young
	}
	if c.at < len(*of) && (*of)[c.at] == c {
		last := len(*of) - 1
		(*of)[c.at] = (*of)[last]
		(*of)[c.at].at = c.at
		(*of)[last] = nil
		*of = (*of)[:last]
	}
}

func (r *rests) tick() {
	r.mu.Lock()
	due := slices.Clone(r.old)
	clear(r.old)
	r.old, r.young = r.young, r.old[:0]
	for _, c := range r.old {
		c.young = false
	}
	if r.ticking = len(r.old) > 0; r.ticking {
		r.timer.Reset(restTick)
	}
	r.mu.Unlock()
	for _, c := range due {
		c.rise()
	}
}

// restLocked rests. Not ok: that was ended by a deadline that lies in the past.
func (c *connection) restLocked() (ok bool) {
	if c.wake == nil {
		c.wake = make(chan struct{}, 1)
	}
	c.resting = true
	c.socket.rests.add(c)
	c.mu.Unlock()
	<-c.wake
	c.mu.Lock()
	return c.until.IsZero() || c.until.After(c.began)
}

// rise ends a rest, if there is one.
func (c *connection) rise() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.resting {
		c.riseLocked()
	}
}

func (c *connection) riseLocked() {
	c.resting = false
	c.socket.rests.remove(c)
	c.wake <- struct{}{}
}
