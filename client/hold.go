package client

import (
	"context"
	"errors"
	"sync"

	"github.com/plimsoll-go/plimsoll/breaker"
	"github.com/plimsoll-go/plimsoll/class"
	"github.com/plimsoll-go/plimsoll/class/wire"
)

// Held is an attempt that lasts beyond a function, such as a stream: see
// [Client.Hold]. It is safe for concurrent use.
type Held struct {
	client *Client
	of     class.Criticality
	ticket breaker.Ticket
	ctx    context.Context
	outer  context.Context
	cancel context.CancelFunc

	mu    sync.Mutex
	told  bool // throttle and breaker know what came of it
	ended bool // its place is given back
}

// Hold is [Client.Do] for what does not end with a function: it takes a place
// for the one attempt that there is, which whoever has it keeps until
// [Held.End], or returns an *[Error]. [Config.Timeout] does not apply: what is
// held may last for as long as its caller's time, less the margin.
func (c *Client) Hold(ctx context.Context, op Op) (*Held, error) {
	c.request()
	of := wire.From(ctx).Criticality
	left := c.left(ctx)
	if left <= op.Need || ctx.Err() != nil {
		return nil, c.over(ctx, 0, nil)
	}
	ticket, wait, why, ok := c.admit(ctx, of, left-op.Need-1)
	if !ok && ctx.Err() != nil {
		return nil, c.over(ctx, 0, nil)
	}
	if !ok {
		return nil, c.failed(&Error{Reason: why, RetryAfter: wait})
	}
	h := &Held{client: c, of: of, ticket: ticket, outer: ctx}
	if deadline, ok := ctx.Deadline(); ok && c.margin > 0 {
		h.ctx, h.cancel = context.WithDeadline(ctx, deadline.Add(-c.margin))
	} else {
		h.ctx, h.cancel = context.WithCancel(ctx)
	}
	return h, nil
}

// Context is what the attempt is made with. It ends at the end of the attempt
// at the latest.
func (h *Held) Context() context.Context { return h.ctx }

// Answered says that the destination is answering, and well: throttle and
// breaker go by that, and not by how it ends, which may be hours away. It counts
// once, and not after the end.
func (h *Held) Answered() { h.tell(Answer{Verdict: breaker.Success}) }

// End gives the place back. Unless the attempt was [Held.Answered], err is what
// it ended with, as a function of Do would return it. The first End counts.
func (h *Held) End(err error) {
	h.mu.Lock()
	again := h.ended
	h.ended = true
	h.mu.Unlock()
	if again {
		return
	}
	a := Answer{Verdict: breaker.Failure} // of a panic
	defer func() {
		h.tell(a)
		h.client.leave(h.of)
		h.cancel()
	}()
	left := errors.Is(h.outer.Err(), context.Canceled)
	a = h.client.classify(err)
	if err != nil && left && a.Verdict == breaker.Failure {
		a.Verdict = breaker.Ignored // whatever the error says: its caller has left
	}
	if err != nil {
		why := NotRepeatable
		if left {
			why = CallerLeft
		}
		h.client.failed(&Error{Reason: why})
	}
}

// tell says what came of it, once.
func (h *Held) tell(a Answer) {
	h.mu.Lock()
	again := h.told
	h.told = true
	h.mu.Unlock()
	if !again {
		h.client.tell(h.of, h.ticket, a)
	}
}
