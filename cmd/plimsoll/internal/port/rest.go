package port

import (
	"context"
	"errors"
	"net"
	"os"
	"slices"
	"sync"
	"time"
)

// restTick is how long it takes until somebody looks whether a caller leaves, at
// least; at most twice as long.
//
// net/http notices it by a read: once a request of HTTP/1.1 is there as a whole,
// it lifts the deadline and reads one byte on a goroutine of its own, which it
// interrupts when the handler has returned. Most requests are served before
// anybody could leave, and then all of that is for nothing. So that read finds
// nothing and ends at once, and the connection rests, until it is used again or
// has rested for long enough. Only then one byte is read ahead, for the next
// read; or the caller has left, and the context of its requests ends, as it
// would have ended by net/http. Whoever leaves at once is noticed that much
// later.
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
		c.look()
	}
}

// restLocked begins a rest, if a read into p is the one by which net/http looks
// whether the caller leaves. Another one that looks like it finds nothing once,
// and is not wrong.
func (c *connection) restLocked(p []byte) bool {
	if !c.lifted || len(p) != 1 || c.taken || c.leave == nil || c.ahead != nil || c.has || c.fault != nil || c.closed.Load() {
		return false
	}
	c.lifted = false
	if !c.resting {
		c.resting = true
		c.socket.rests.add(c)
	}
	return true
}

// riseLocked ends a rest, if there is one.
func (c *connection) riseLocked() {
	if c.resting {
		c.resting = false
		c.socket.rests.remove(c)
	}
}

// look reads one byte ahead, after a rest.
func (c *connection) look() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.resting {
		return
	}
	c.riseLocked()
	c.ahead = make(chan struct{})
	c.reading++
	go c.readAhead()
}

func (c *connection) readAhead() {
	n, err := c.readSocket(c.next[:])
	c.mu.Lock()
	c.reading--
	c.has = n > 0
	if err != nil && !errors.Is(err, os.ErrDeadlineExceeded) {
		c.fault = err
	}
	left := c.fault != nil && !c.taken
	close(c.ahead)
	c.ahead = nil
	c.mu.Unlock()
	if left {
		c.leave()
	}
}

// takeLocked waits for what is read ahead, and takes it. Not over: there is
// nothing, and p is to be read from the socket.
func (c *connection) takeLocked(p []byte) (n int, over bool, err error) {
	c.riseLocked()
	for {
		switch {
		case !c.until.IsZero() && c.until.Before(c.began):
			return 0, true, os.ErrDeadlineExceeded // interrupted before it began
		case c.ahead != nil:
			ahead := c.ahead
			c.mu.Unlock()
			<-ahead
			c.mu.Lock()
		case c.has && len(p) > 0:
			p[0], c.has = c.next[0], false
			return 1, true, nil
		case c.fault != nil:
			return 0, true, c.fault
		default:
			return 0, false, nil
		}
	}
}

// attended is the context of a connection's requests, which ends when the caller
// has left.
func attended(ctx context.Context, c net.Conn) context.Context {
	if c, ok := c.(*connection); ok {
		ctx, c.leave = context.WithCancel(ctx)
	}
	return ctx
}
