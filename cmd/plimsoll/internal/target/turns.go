package target

import (
	"context"
	"slices"
	"time"
)

// maxDialing is how many connections are made at a time. What comes due while
// the generator itself is held up goes at once, and needs connections; if it
// made one for each, it would be held up by making them, find still more due
// when it is done, and never catch up, though its core has time enough for the
// same requests over connections that are there.
const maxDialing = 64

// waiter is an attempt that waits for a connection. It gets one that another
// attempt has done with, or nil: its turn to make one.
type waiter chan *connection

// obtain returns a connection that was used before, or nil: it is the caller's
// turn to make one, after which it calls dialed.
func (p *pool) obtain(ctx context.Context, deadline time.Time) (*connection, error) {
	c, wait, err := p.pop()
	if wait == nil {
		return c, err
	}
	over := time.NewTimer(time.Until(deadline))
	defer over.Stop()
	select {
	case c = <-wait:
		return c, p.fault()
	case <-over.C:
		err = context.DeadlineExceeded
	case <-ctx.Done():
		err = ctx.Err()
	}
	p.leave(wait)
	return nil, &dialError{failedDial, err}
}

// pop returns the idle connection that was used last; or nil, if it is the
// caller's turn to make one; or what to wait for.
func (p *pool) pop() (*connection, waiter, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
		return nil, nil, &dialError{failedInterrupted, errClosed}
	}
	if n := len(p.idle); n > 0 {
		c := p.idle[n-1]
		p.idle[n-1] = nil
		p.idle = p.idle[:n-1]
		return c, nil, nil
	}
	if p.dialing < maxDialing {
		p.dialing++
		return nil, nil, nil
	}
	w := make(waiter, 1)
	p.waiting = append(p.waiting, w)
	return nil, w, nil
}

// fault is that the pool has been closed.
func (p *pool) fault() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
		return &dialError{failedInterrupted, errClosed}
	}
	return nil
}

// leave ends a wait. What came at the last moment goes to the next.
func (p *pool) leave(w waiter) {
	p.mu.Lock()
	if i := slices.Index(p.waiting, w); i >= 0 {
		p.waiting = slices.Delete(p.waiting, i, i+1)
		p.mu.Unlock()
		return
	}
	p.mu.Unlock()
	if c := <-w; c != nil {
		p.give(c)
	} else {
		p.dialed()
	}
}

// dialed ends a turn to make a connection.
func (p *pool) dialed() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.handLocked(nil) {
		p.dialing--
	}
}

// handLocked hands a connection, or the turn to make one, to who has waited for
// longest. False: nobody waits.
func (p *pool) handLocked(c *connection) bool {
	if len(p.waiting) == 0 {
		return false
	}
	w := p.waiting[0]
	p.waiting[0] = nil
	p.waiting = p.waiting[1:]
	w <- c // there is room for one
	return true
}
