package httpgate

import (
	"cmp"
	"context"
	"net/http"
	"sync"
	"time"

	"github.com/plimsoll-go/plimsoll/breaker"
	"github.com/plimsoll-go/plimsoll/client"
	"github.com/plimsoll-go/plimsoll/httpgate/replay"
	"github.com/plimsoll-go/plimsoll/retry"
)

// call is a request on its way through its attempts, which may run beside one
// another.
type call struct {
	*transport
	request *http.Request // as it was given
	sent    *http.Request // what attempts are made of
	body    *replay.Body

	mu     sync.Mutex
	answer answered // of the latest attempt that had one
	last   error    // what the latest attempt ended with
	once   bool     // there can be no other, for want of a body
	over   bool     // an attempt has succeeded, or nobody waits for one
}

// failure is the error of an attempt that had no answer.
type failure struct {
	error
	answer client.Answer
}

func (f *failure) Unwrap() error         { return f.error }
func (f *failure) Answer() client.Answer { return f.answer }

// late is what an attempt ends with that has had an answer after another.
var late = &failure{context.Canceled, client.Answer{Verdict: breaker.Ignored}}

// attempt sends the request once.
func (c *call) attempt(ctx context.Context) error {
	body, err := c.body.Next()
	if err != nil {
		return c.bodiless(err)
	}
	c.earlier().drop()
	s, r := c.prepare(ctx, body)
	var answer *http.Response
	if s.told < least { // reading the last answer out has taken the rest
		body.Close()
		s.kept, err = true, context.DeadlineExceeded
	} else {
		answer, err = c.next.RoundTrip(r)
	}
	if err = s.end(ctx, err); err != nil {
		s.cancel(err)
		if answer != nil && answer.Body != nil {
			answer.Body.Close()
		}
		return c.failed(s, err)
	}
	if answer.Header == nil { // of a round tripper that makes its answers by hand
		answer.Header = make(http.Header)
	}
	answer.Request, answer.Body = c.request, held(answer.Body, s.cancel)
	return c.answered(answered{answer, s.cancel})
}

// bodiless is what an attempt ends with for want of a body: it is not sent, and what
// the one before ended with stays what the call ends with.
func (c *call) bodiless(err error) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.once = true
	return &failure{cmp.Or(c.last, err), client.Answer{Verdict: breaker.Ignored, Unsent: true, Pushback: retry.NoRetry}}
}

// earlier takes the answer of an attempt that is not the last.
func (c *call) earlier() (a answered) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.over {
		a, c.answer = c.answer, answered{}
	}
	return a
}

// rest is between two attempts.
func (c *call) rest() {
	c.mu.Lock()
	a := c.answer
	c.mu.Unlock()
	a.keep()
}

// failed is the error of an attempt without an answer.
func (c *call) failed(s *sending, err error) error {
	a := client.Classify(err)
	if s.replayed || s.told < least {
		a.Verdict = breaker.Ignored // a connection that was idle has ended, or there was no time: that is nobody's failure
	}
	a.Unsent = s.unsent(err)
	c.mu.Lock()
	defer c.mu.Unlock()
	f := &failure{err, c.bodied(a)}
	c.last = f
	return f
}

// answered is what an attempt ends with that has an answer. The first that is no
// failure is that of the call, and every later one is closed here.
func (c *call) answered(now answered) error {
	a, failed := judge(now.StatusCode, now.Header, time.Now())
	c.mu.Lock()
	if c.over {
		c.mu.Unlock()
		now.Body.Close()
		return late
	}
	old := c.answer
	c.answer, c.last, c.over = now, nil, !failed
	if failed {
		c.last = &StatusError{Status: now.StatusCode, Header: now.Header, answer: c.bodied(a)}
	}
	err := c.last
	c.mu.Unlock()
	if old.Response != nil { // of an attempt beside this one
		old.Body.Close()
	}
	return err
}

// bodied asks for no other attempt where the body cannot be sent again.
func (c *call) bodied(a client.Answer) client.Answer {
	if c.once = !c.body.Possible(); c.once {
		a.Pushback = retry.NoRetry
	}
	return a
}

// end returns the answer of the call, if there is one, and whether it could not
// have had another attempt. What comes later is closed.
func (c *call) end() (a answered, once bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.over = true
	return c.answer, c.once
}
