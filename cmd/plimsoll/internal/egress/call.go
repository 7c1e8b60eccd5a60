package egress

import (
	"context"
	"net/http"
	"time"

	"github.com/plimsoll-go/plimsoll/class"
	"github.com/plimsoll-go/plimsoll/class/wire"
	"github.com/plimsoll-go/plimsoll/client"
	"github.com/plimsoll-go/plimsoll/cmd/plimsoll/internal/config"
	"github.com/plimsoll-go/plimsoll/cmd/plimsoll/internal/upstream"
	"github.com/plimsoll-go/plimsoll/httpgate/replay"
	"github.com/plimsoll-go/plimsoll/retry"
)

// call is a request on its way through its attempts.
type call struct {
	*Caller
	request *http.Request
	told    *wire.Config
	until   time.Time    // when the answer has to have begun; zero: when the context ends
	body    *replay.Body // nil: there is one attempt at most

	most   int // how often it may be sent, net/http's own resending included
	sent   int // how often it was
	at     int // the endpoint of the last attempt
	answer *http.Response
}

// failure is what an attempt ends with that has failed, and what that means.
type failure struct {
	error
	answer client.Answer
}

func (f *failure) Unwrap() error         { return f.error }
func (f *failure) Answer() client.Answer { return f.answer }

// attempt sends the request once.
func (k *call) attempt(ctx context.Context) error {
	began, budget, own := time.Now(), time.Duration(0), false
	if !k.until.IsZero() {
		budget = max(k.until.Sub(began), 1)
	}
	if own = k.retries.AttemptTimeout > 0 && (budget == 0 || k.retries.AttemptTimeout < budget); own {
		budget = k.retries.AttemptTimeout
	}
	resp, sent, err := k.send(ctx, budget)
	k.at, k.sent = sent.At, k.sent+max(sent.Times, 1)
	var a client.Answer
	switch {
	case err != nil:
		a = k.fault(err, sent.Times, own, time.Since(began))
	default:
		k.answer = resp
		var failed bool
		if a, failed = k.judge(resp, began); !failed {
			return nil
		}
		err = errAnswer
	}
	if k.body != nil && (a.Pushback > k.retries.MaxBackoff || !k.body.Possible() || k.sent >= k.most) {
		a.Pushback = retry.NoRetry
	}
	return &failure{err, a}
}

// send sends it, as it is where there is no other attempt.
func (k *call) send(ctx context.Context, budget time.Duration) (*http.Response, upstream.Sent, error) {
	if k.body == nil {
		resp, err := k.to.Do(k.request, budget)
		return resp, upstream.Sent{At: upstream.Nowhere, Times: 1}, err
	}
	if k.answer != nil {
		upstream.Drop(k.answer)
		k.answer = nil
	}
	body, err := k.body.Next()
	if err != nil { // it was possible, and nobody else has it
		return nil, upstream.Sent{At: k.at}, err
	}
	r := k.request.WithContext(ctx)
	r.Body = body
	if k.sent > 0 {
		left := class.Forever
		if !k.until.IsZero() {
			left = time.Until(k.until)
		} else if end, ok := ctx.Deadline(); ok {
			left = time.Until(end)
		}
		r.Header = r.Header.Clone()
		k.told.Write(r.Header, wire.From(ctx), left)
	}
	return k.to.Once(r, budget, k.at, k.most-k.sent)
}

// repeatable reports whether a request may be sent again although it may have
// been read.
func repeatable(r *http.Request, m config.Methods) bool {
	if m.Has(r.Method) {
		return true
	}
	_, key := r.Header["Idempotency-Key"]
	return key
}
