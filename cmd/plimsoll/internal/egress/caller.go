package egress

import (
	"context"
	"errors"
	"net/http"
	"time"

	"github.com/plimsoll-go/plimsoll/class"
	"github.com/plimsoll-go/plimsoll/class/wire"
	"github.com/plimsoll-go/plimsoll/client"
	"github.com/plimsoll-go/plimsoll/cmd/plimsoll/internal/config"
	"github.com/plimsoll-go/plimsoll/cmd/plimsoll/internal/upstream"
	"github.com/plimsoll-go/plimsoll/httpgate"
	"github.com/plimsoll-go/plimsoll/httpgate/replay"
)

// Caller calls one upstream. Make one with [New]; it may be used concurrently.
type Caller struct {
	to      *upstream.Service
	client  *client.Client
	retries config.Retries
	breaks  bool // there is a breaker

	causes config.Troubles // what a failure is for breaker and throttle
	hang   time.Duration   // of a caller's time, which is one when it ends
}

// New returns what calls a service as its settings say. Nil: they say nothing,
// and every request is sent once.
func New(to *upstream.Service, u config.Upstream) (*Caller, error) {
	settings, any := u.Client()
	if !any {
		return nil, nil
	}
	made, err := client.New(settings)
	if err != nil {
		return nil, err
	}
	c := &Caller{to: to, client: made, retries: u.Retries, breaks: u.Breaker != (config.Breaker{})}
	c.causes, c.hang = u.Breaker.Failure()
	return c, nil
}

// least is the shortest time in which an attempt is begun: less cannot be told
// to the service.
const least = time.Millisecond

// Do calls the service: [upstream.Service.Do], as often as it takes and is
// allowed. Told is how each further attempt is told its number and what is left
// of the time; the first has been told. The error is an *[upstream.Error], a
// *[client.Error], or the second of the first.
func (c *Caller) Do(r *http.Request, budget time.Duration, told *wire.Config) (*http.Response, error) {
	k := &call{Caller: c, request: r, told: told, at: upstream.Nowhere, most: 1}
	op := client.Op{Need: least}
	if budget > 0 {
		k.until = time.Now().Add(budget)
		if end, ok := r.Context().Deadline(); ok {
			op.Need += max(end.Sub(k.until), 0)
		}
	}
	if c.retries.Attempts > 0 {
		k.most = max(1, c.retries.Attempts+1-max(1, wire.From(r.Context()).Attempt))
		k.body = replay.Of(r, int64(c.retries.Bodies))
		defer k.body.Finish()
		op.Repeatable = repeatable(r, c.retries.Methods)
	}
	err := c.client.Do(r.Context(), op, k.attempt)
	switch {
	case err == nil:
		return k.answer, nil
	case k.answer == nil:
		return nil, k.without(err)
	case r.Context().Err() != nil: // and so is the body
		upstream.Drop(k.answer)
		return nil, k.without(err)
	}
	c.Mark(k.answer.Header, err)
	return k.answer, nil
}

// without is the error of a call that has no answer.
func (k *call) without(err error) error {
	var ended *client.Error
	var last *upstream.Error
	if !errors.As(err, &ended) || errors.As(err, &last) {
		return err
	}
	switch ended.Reason {
	case client.NoTime:
		if k.request.Context().Err() == nil {
			return &upstream.Error{Kind: upstream.OverBudget}
		}
		return &upstream.Error{Kind: upstream.CallerGone, Err: context.DeadlineExceeded}
	case client.CallerLeft:
		return &upstream.Error{Kind: upstream.CallerGone, Err: k.request.Context().Err()}
	}
	return err
}

// Mark says in the header of an answer that this layer is done with retrying
// the request that it is for, if it is: an outer layer is not to begin again.
func (c *Caller) Mark(h http.Header, err error) {
	var ended *client.Error
	if c.retries.Attempts == 0 || !errors.As(err, &ended) {
		return
	}
	switch ended.Reason {
	case client.NotRepeatable, client.CallerLeft, client.NoTime:
		return
	}
	if len(h[httpgate.GaveUpHeader]) == 0 {
		h[httpgate.GaveUpHeader] = []string{ended.Reason.String()}
	}
}

// Shut reports whether the breaker lets no request of a criticality through
// now, and for how long; a request that finds it so counts as held back.
func (c *Caller) Shut(of class.Criticality) (time.Duration, bool) { return c.client.Shut(of) }

// Breaks reports whether there is a breaker.
func (c *Caller) Breaks() bool { return c.breaks }
