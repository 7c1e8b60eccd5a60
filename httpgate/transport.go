package httpgate

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"time"

	"github.com/plimsoll-go/plimsoll/breaker"
	"github.com/plimsoll-go/plimsoll/class/wire"
	"github.com/plimsoll-go/plimsoll/client"
	"github.com/plimsoll-go/plimsoll/internal/replay"
	"github.com/plimsoll-go/plimsoll/retry"
)

// DefaultMaxReplay is how much of a body is kept for another attempt, where
// [TransportConfig] does not say.
const DefaultMaxReplay = 64 << 10

// TransportConfig says how requests become calls of a client. The zero value
// serves. It must not change once it has made a transport.
type TransportConfig struct {
	// Wire says in which headers the next hop is told what is left of the
	// deadline, and which signatures are passed on.
	Wire wire.Config
	// MaxReplay is how many bytes of a body without [http.Request.GetBody] are
	// kept for another attempt; a longer one is sent once. Zero:
	// [DefaultMaxReplay]. Negative: none are.
	MaxReplay int64
}

// Transport returns next as c sends to it, with the zero [TransportConfig].
func Transport(c *client.Client, next http.RoundTripper) http.RoundTripper {
	return TransportConfig{}.Transport(c, next)
}

// Transport returns next as c sends to it; nil is [http.DefaultTransport]. It
// panics if c is nil or the configuration is not valid.
//
// A client is for one destination, and so is what this returns: an
// [http.Client] for each destination keeps the trouble of one from those of
// another. It may be used concurrently.
//
// Each attempt is told its number, the criticality of the context (class/wire)
// and what is left of the time; none is sent with less than a millisecond left.
// There is another attempt of what is idempotent by its method or has an
// Idempotency-Key, and of what could not be sent at all, if its body can be sent
// again. What is in flight is in flight until the header of its answer: a client
// bounds the attempts that wait for one, and its timeout ends them. The body is
// the caller's, bounded by the caller's deadline, and is not held or judged: one
// that nobody closes would keep its place for ever, and a stream for hours.
//
// What it returns is the answer of the last attempt, whatever its status, where
// there is one, and else a *[client.Error] with what the last attempt ended with.
// Answers of earlier attempts are read out, up to a bound, and closed.
//
// net/http sends some requests again by itself when a connection ends: what may
// have been read is not sent so, but counts as an attempt that has failed.
func (c TransportConfig) Transport(to *client.Client, next http.RoundTripper) http.RoundTripper {
	if to == nil {
		panic("httpgate: Transport needs a client")
	}
	if err := c.Wire.Validate(); err != nil {
		panic(fmt.Sprintf("httpgate: TransportConfig.Wire: %v", err))
	}
	if next == nil {
		next = http.DefaultTransport
	}
	if c.MaxReplay == 0 {
		c.MaxReplay = DefaultMaxReplay
	}
	return &transport{cfg: c, client: to, next: next}
}

type transport struct {
	cfg    TransportConfig
	client *client.Client
	next   http.RoundTripper
}

// least is the shortest time that the headers can tell; less is expired.
const least = time.Millisecond

// RoundTrip makes a call of a request.
func (t *transport) RoundTrip(r *http.Request) (*http.Response, error) {
	c := &call{transport: t, request: r, body: replay.Of(r, max(t.cfg.MaxReplay, 0))}
	defer c.body.Finish()
	err := t.client.Do(r.Context(), client.Op{Repeatable: repeatable(r), Need: least}, c.attempt)
	if err == nil {
		return c.answer, nil
	}
	if c.answer == nil {
		return nil, err
	}
	if r.Context().Err() != nil { // and so is the body
		c.drop()
		return nil, err
	}
	var ended *client.Error
	if errors.As(err, &ended) && ended.Reason != client.NotRepeatable && !c.once {
		c.answer.Header[GaveUpHeader] = []string{ended.Reason.String()}
	}
	return c.answer, nil
}

// CloseIdleConnections passes on what [http.Client.CloseIdleConnections] asks.
func (t *transport) CloseIdleConnections() {
	if next, ok := t.next.(interface{ CloseIdleConnections() }); ok {
		next.CloseIdleConnections()
	}
}

// call is a request on its way through its attempts.
type call struct {
	*transport
	request *http.Request
	body    *replay.Body
	answer  *http.Response // of the last attempt; nil: it had none
	last    error          // what it ended with
	cancel  context.CancelCauseFunc
	once    bool // there can be no other, for want of a body
}

// StatusError is what an attempt ends with whose answer is a failure or a
// refusal, for a Classify of the [client.Config]. It has an Answer that
// [client.Classify] goes by.
type StatusError struct {
	Status int
	Header http.Header // must not be changed
	answer client.Answer
}

// Error names the status.
func (e *StatusError) Error() string {
	return fmt.Sprintf("httpgate: the answer is %d %s", e.Status, http.StatusText(e.Status))
}

// Answer is what the answer means.
func (e *StatusError) Answer() client.Answer { return e.answer }

// failure is the error of an attempt that had no answer.
type failure struct {
	error
	answer client.Answer
}

func (f *failure) Unwrap() error         { return f.error }
func (f *failure) Answer() client.Answer { return f.answer }

// attempt sends the request once.
func (c *call) attempt(ctx context.Context) error {
	body, err := c.body.Next()
	if err != nil {
		return cmp.Or(c.last, err)
	}
	c.drop()
	s, r := c.prepare(ctx, body)
	var answer *http.Response
	if s.told < least { // reading the last answer out has taken the rest
		body.Close()
		err = context.DeadlineExceeded
	} else {
		answer, err = c.next.RoundTrip(r)
	}
	if err = s.end(ctx, err); err != nil {
		s.cancel(err)
		if answer != nil {
			answer.Body.Close()
		}
		c.last = c.failed(s, err)
		return c.last
	}
	answer.Request, answer.Body = c.request, held(answer.Body, s.cancel)
	c.answer, c.cancel, c.last = answer, s.cancel, nil
	if a, failed := judge(answer.StatusCode, answer.Header, time.Now()); failed {
		c.last = &StatusError{Status: answer.StatusCode, Header: answer.Header, answer: c.bodied(a)}
	}
	return c.last
}

// failed is the error of an attempt without an answer.
func (c *call) failed(s *sending, err error) error {
	a := client.Classify(err)
	if s.replayed || s.told < least {
		a.Verdict = breaker.Ignored // a connection that was idle has ended, or there was no time: that is nobody's failure
	}
	a.Unsent = s.unsent(err)
	return &failure{err, c.bodied(a)}
}

// bodied asks for no other attempt where the body cannot be sent again.
func (c *call) bodied(a client.Answer) client.Answer {
	if c.once = !c.body.Possible(); c.once {
		a.Pushback = retry.NoRetry
	}
	return a
}

// maxDropped and dropWithin are how much of an answer is read for the sake of
// its connection, and for how long.
const (
	maxDropped = 64 << 10
	dropWithin = 50 * time.Millisecond
)

// drop is done with the answer of an attempt that is not the last.
func (c *call) drop() {
	if c.answer == nil {
		return
	}
	if c.answer.ContentLength <= maxDropped {
		timer := time.AfterFunc(dropWithin, func() { c.cancel(nil) })
		io.CopyN(io.Discard, c.answer.Body, maxDropped)
		timer.Stop()
	}
	c.answer.Body.Close()
	c.answer = nil
}
