package client

import (
	"context"
	"errors"
	"runtime"
	"time"

	"github.com/plimsoll-go/plimsoll/breaker"
	"github.com/plimsoll-go/plimsoll/class"
	"github.com/plimsoll-go/plimsoll/class/wire"
	"github.com/plimsoll-go/plimsoll/retry"
)

// errLost is what an attempt ends with when another of its call has succeeded.
var errLost = errors.New("client: another attempt was sooner")

// race is a call whose attempts may run beside one another.
type race struct {
	client *Client
	tag    wire.Tag
	need   time.Duration
	fn     func(context.Context) error
	ended  chan ending

	slow     retry.Slow
	inFlight int
	answer   Answer // what those that have failed say together
	err      error  // what the last of them ended with
}

// ending is how one attempt has ended.
type ending struct {
	answer   Answer
	err      error
	returned bool // else it has panicked with this, or, where it is nil, its goroutine has exited
	panicked any
}

// run makes an attempt, which has passed, and others beside it while it takes
// long, until one has succeeded or all in flight have failed. The losers are
// cancelled and not waited for.
func (r *race) run(ctx context.Context, first breaker.Ticket) (Answer, error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(errLost)
	r.answer, r.err = Answer{Unsent: true}, nil
	// A channel of this attempt and those beside it: one that has lost is not in
	// the way of the next.
	r.ended = make(chan ending, r.client.policy.MostAttempts())
	r.start(ctx, first)
	due, stop := r.client.due()
	defer func() { stop() }()
	for r.inFlight > 0 {
		select {
		case e := <-r.ended:
			r.inFlight--
			switch {
			case !e.returned && e.panicked == nil:
				runtime.Goexit()
			case !e.returned:
				panic(e.panicked)
			case e.err == nil:
				return e.answer, nil
			}
			r.failed(e)
		case <-due:
			stop()
			if due = nil; r.beside(ctx) {
				due, stop = r.client.due()
			}
		}
	}
	return r.answer, r.err
}

// start runs an attempt that has passed.
func (r *race) start(ctx context.Context, t breaker.Ticket) {
	r.slow.Attempts++
	r.inFlight++
	go r.attempt(ctx, numbered(ctx, r.tag, r.slow.Attempts), t)
}

// attempt runs one attempt and tells how it ended, whatever it does.
func (r *race) attempt(race, ctx context.Context, t breaker.Ticket) {
	var e ending
	defer func() {
		if !e.returned {
			e.panicked = recover()
		}
		r.ended <- e
	}()
	began := time.Now()
	e.answer, e.err = r.client.attempt(ctx, r.tag.Criticality, t, func(ctx context.Context) error {
		if err := r.fn(ctx); context.Cause(race) != errLost {
			return err
		}
		return errLost
	})
	if e.returned = true; e.err == nil || e.err == errLost {
		r.client.took(time.Since(began))
	}
}

// failed adds an attempt that has not succeeded to the others.
func (r *race) failed(e ending) {
	r.answer, r.err = both(r.answer, e.answer), e.err
	r.slow.Stopped = r.answer.Overloaded || r.answer.Refused || r.answer.GivenUp || r.answer.Pushback != 0
}

// both is what two attempts of a call that have failed say together.
func both(a, b Answer) Answer {
	b.Overloaded = a.Overloaded || b.Overloaded
	b.Refused = a.Refused || b.Refused
	b.GivenUp = a.GivenUp || b.GivenUp
	b.Unsent = a.Unsent && b.Unsent
	if a.Pushback < 0 || a.Pushback > b.Pushback && b.Pushback >= 0 {
		b.Pushback = a.Pushback
	}
	return b
}

// beside begins another attempt, if there may be one, and reports whether it has.
func (r *race) beside(ctx context.Context) bool {
	t, ok := r.client.passBeside(r, r.client.left(ctx))
	if ok {
		r.slow.Beside++
		r.start(ctx, t)
	}
	return ok
}

// passBeside takes a turn at the rate and a place for another attempt of a call
// that takes long, if it may have one. It is counted once it has them: what is
// not sent spends nothing.
func (c *Client) passBeside(r *race, left time.Duration) (t breaker.Ticket, ok bool) {
	now, of := c.now(), r.tag.Criticality
	r.slow.Deadline, r.slow.Need = class.At(now, left), r.need
	c.mu.Lock()
	defer c.mu.Unlock()
	r.slow.Unwell = c.breaker != nil && c.breaker.Of(of).Status(now).State != breaker.Closed
	if !c.policy.Hedge(now, r.slow, c.hedge, c.budget) || c.pace != nil && !c.pace.atOnce(now) {
		return t, false
	}
	if t, _, _, ok = c.passLocked(now, of); ok {
		c.hedge.Begin(now, c.budget)
	} else if c.pace != nil {
		c.pace.back(now)
	}
	return t, ok
}

// due returns what tells that an attempt takes long; nil: nobody knows what that
// is.
func (c *Client) due() (<-chan time.Time, func() bool) {
	now := c.now()
	c.mu.Lock()
	delay, known := c.hedge.Delay(now)
	c.mu.Unlock()
	if !known {
		return nil, func() bool { return true }
	}
	timer := time.NewTimer(delay)
	return timer.C, timer.Stop
}

// took counts what an attempt of a read took.
func (c *Client) took(d time.Duration) {
	now := c.now()
	c.mu.Lock()
	defer c.mu.Unlock()
	c.hedge.Took(now, d)
}
