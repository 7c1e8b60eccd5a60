package httpgate

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"time"

	"github.com/plimsoll-go/plimsoll"
	"github.com/plimsoll-go/plimsoll/class/wire"
)

// DefaultMaxRetryAfter is the longest that a refusal sends anybody away, where
// [Config] does not say.
const DefaultMaxRetryAfter = 30 * time.Second

// maxMaxRetryAfter bounds the table of prepared values.
const maxMaxRetryAfter = time.Hour

// StatusClientClosedRequest is what a request is answered with whose caller
// left while it waited. It is nginx's number and reaches logs only.
const StatusClientClosedRequest = 499

// Config says how HTTP requests become work for a gate, and what refusals look
// like. The zero value serves: callers are not trusted with more than CRITICAL
// and have no deadline unless they bring one. A Config must not change once it
// has made a handler.
type Config struct {
	// Wire says which headers are believed and how far, and has the default
	// timeout.
	Wire wire.Config

	// Classify adds what the headers do not say, by path, method or whatever
	// is cheap to look at; it must not read the body. It finds in w what is
	// known so far, Unset where the caller made no claim, and has the last
	// word. It may be called concurrently. Nil: nothing is added.
	Classify func(r *http.Request, w *plimsoll.Work)

	// Exempt are paths that skip the gate: health checks, metrics, whatever
	// must answer when nothing else does. A path that ends in a slash stands
	// for all below it, unless the request's path has empty or dot segments,
	// which a router might resolve to somewhere else; and none stands for a path
	// with unusual escapes, such as %2F for a slash. Exempt requests are
	// neither limited nor counted.
	Exempt []string

	// ExemptFunc exempts further requests. Nil: none.
	ExemptFunc func(*http.Request) bool

	// Await is called for a request with a body, before the gate is asked: the
	// time to wait for what must be there before a slot is of any use, such as
	// the beginning of the body. What it returns is the body that the handler
	// gets; the request must not be changed, since the server judges by it how
	// its connection goes on. The request's time, which ends at deadline, is
	// running; zero: it does not end. If the gate refuses and the connection
	// goes on, the body is read to its end, and not closed. Not ok: it has answered, and the gate is
	// not asked. It may be called concurrently. Nil: nothing is waited for.
	Await func(w http.ResponseWriter, r *http.Request, deadline time.Time) (body io.ReadCloser, ok bool)

	// Ahead is called right before the gate is asked, for a request that it would
	// be of no use to: what it would be sent to is known not to answer, say. Its
	// body is what Await has returned. Not ok: it has answered, and the gate is not
	// asked. It must not block, and may be called concurrently. Nil: the gate is
	// always asked.
	Ahead func(w http.ResponseWriter, r *http.Request, body io.Reader, what Ahead) (ok bool)

	// Streams are paths, as in Exempt, whose answers are long-lived. Any
	// successful one leaves its slot at the first byte.
	Streams []string

	// StatusFull answers what was refused for want of room:
	// 503 Service Unavailable, or 429 Too Many Requests for callers that know
	// only that. Beware that balancers tend to take a 429, which is quick, for
	// success, and send more. Zero: 503.
	StatusFull int

	// MaxRetryAfter bounds Retry-After, up to an hour. Zero:
	// [DefaultMaxRetryAfter].
	MaxRetryAfter time.Duration

	// ServerTiming has every answer say how long it waited and how long the
	// handler took to begin it, in Server-Timing. False: only the answers to
	// callers who ask for it by Plimsoll-Want and are trusted, by Wire or by a
	// signature.
	ServerTiming bool

	// LoadReport has every answer carry an ORCA load report, for balancers that
	// steer by it: endpoint-load-metrics over HTTP, endpoint-load-metrics-bin in
	// the trailers of gRPC. False: as ServerTiming.
	LoadReport bool

	// Load makes the reports; handlers of one gate may share it. Nil: one of
	// the handler's own.
	Load *Load

	// OnInvalid is told of requests whose headers could not be read, claimed
	// more than they were given, or had a signature that is worth nothing, so
	// that they can be counted. They are served
	// all the same. It may be called concurrently. Nil: nobody is told.
	OnInvalid func(*http.Request, wire.Incoming)

	// Observe is told how every request has ended that asked the gate, once
	// each: refused, or when its handler has returned. The request is the
	// server's. It is called on the request's goroutine, must not write an
	// answer, and may be called concurrently. Nil: nobody is told.
	Observe func(*http.Request, Ended)

	// Witness sees all requests come and go, those included that are answered
	// without the gate being asked, as by Ahead; exempt ones apart. Nil: nobody
	// does.
	Witness Witness
}

// Validate reports every fault at once and changes nothing.
func (c Config) Validate() error {
	var faults []error
	want := func(ok bool, key, wanted string, got any) {
		if !ok {
			faults = append(faults, fmt.Errorf("httpgate: Config.%s: want %s, have %v", key, wanted, got))
		}
	}
	if err := c.Wire.Validate(); err != nil {
		faults = append(faults, fmt.Errorf("httpgate: Config.Wire: %w", err))
	}
	for _, p := range c.Exempt {
		want(validPath(p), "Exempt", "paths that begin with a slash and have no empty or dot segments", fmt.Sprintf("%q", p))
	}
	for _, p := range c.Streams {
		want(validPath(p), "Streams", "paths that begin with a slash and have no empty or dot segments", fmt.Sprintf("%q", p))
	}
	switch c.StatusFull {
	case 0, http.StatusServiceUnavailable, http.StatusTooManyRequests:
	default:
		want(false, "StatusFull", "503 or 429", c.StatusFull)
	}
	want(c.MaxRetryAfter >= 0 && c.MaxRetryAfter <= maxMaxRetryAfter, "MaxRetryAfter", "from 0 to "+maxMaxRetryAfter.String(), c.MaxRetryAfter)
	return errors.Join(faults...)
}

func (c *Config) statusFull() int {
	if c.StatusFull != 0 {
		return c.StatusFull
	}
	return http.StatusServiceUnavailable
}

func (c *Config) maxRetryAfter() time.Duration {
	if c.MaxRetryAfter > 0 {
		return c.MaxRetryAfter
	}
	return DefaultMaxRetryAfter
}
