package httpgate

import (
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/plimsoll-go/plimsoll/class/wire"
	"github.com/plimsoll-go/plimsoll/client"
	"github.com/plimsoll-go/plimsoll/httpgate/replay"
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
	// Need is how long a request takes at the least: with less time left it is not
	// sent. It may be called concurrently. Nil, and less than a millisecond: not
	// known.
	Need func(*http.Request) time.Duration
}

// Validate reports every fault at once and changes nothing.
func (c TransportConfig) Validate() error {
	if err := c.Wire.Validate(); err != nil {
		return fmt.Errorf("httpgate: TransportConfig.Wire: %w", err)
	}
	return nil
}

// Transport returns next as c sends to it, with the zero [TransportConfig]. A nil
// next is [http.DefaultTransport].
func Transport(c *client.Client, next http.RoundTripper) http.RoundTripper {
	return TransportConfig{}.Transport(c, next)
}

// Transport returns next as the client to sends to it; nil is
// [http.DefaultTransport]. It panics if to is nil or the configuration is not
// valid, as [TransportConfig.Validate] says.
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
// Where the client has a Hedge, a read (GET, HEAD, OPTIONS, TRACE) whose header is
// long in coming has another attempt beside it, if its body can be made anew by
// GetBody. The first answer that is no failure is returned; the context of the
// other attempts ends and what they are answered is closed.
//
// What it returns is the answer of the last attempt, whatever its status, where
// there is one, and else a *[client.Error] with what the last attempt ended with.
// Answers of earlier attempts are closed, after 64 KiB or 50 ms of reading them
// out for the sake of their connections; and before any wait for another attempt,
// so that no connection is held in it. Where that is not made after all, so much
// of the answer is returned, and reading on fails.
//
// net/http sends some requests again by itself when a connection ends: what may
// have been read is not sent so, but counts as an attempt that has failed.
func (c TransportConfig) Transport(to *client.Client, next http.RoundTripper) http.RoundTripper {
	if to == nil {
		panic("httpgate: Transport needs a client")
	}
	if err := c.Validate(); err != nil {
		panic(err.Error())
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
	c := &call{transport: t, request: r, sent: r, body: replay.Of(r, max(t.cfg.MaxReplay, 0))}
	defer c.body.Finish()
	op := client.Op{Repeatable: repeatable(r), Need: least, Hedge: t.client.Hedges() && hedged(r)}
	if op.Repeatable {
		op.Between = c.rest
	}
	if t.cfg.Need != nil {
		op.Need = max(t.cfg.Need(r), least)
	}
	if op.Hedge { // its attempts may outlast this call, after which r is the caller's again
		c.sent = r.Clone(r.Context())
	}
	err := t.client.Do(r.Context(), op, c.attempt)
	answer, once := c.end()
	switch {
	case err == nil:
		return answer.Response, nil
	case answer.Response == nil:
		return nil, err
	case r.Context().Err() != nil: // and so is the body
		answer.drop()
		return nil, err
	}
	var ended *client.Error
	if errors.As(err, &ended) && ended.GaveUp() && !once {
		answer.Header[GaveUpHeader] = []string{ended.Reason.String()}
	}
	return answer.Response, nil
}

// CloseIdleConnections passes on what [http.Client.CloseIdleConnections] asks.
func (t *transport) CloseIdleConnections() {
	if next, ok := t.next.(interface{ CloseIdleConnections() }); ok {
		next.CloseIdleConnections()
	}
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
