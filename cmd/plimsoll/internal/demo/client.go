package demo

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"strconv"
	"sync"
	"time"

	"github.com/plimsoll-go/plimsoll/class"
)

// outcome is how an attempt, or a logical request, ended.
type outcome uint8

const (
	unsent  outcome = iota // never sent: the run was interrupted
	good                   // answered 200 within the deadline of the attempt
	refused                // answered in time, with 429, 503 or 504
	late                   // the deadline of the attempt passed; the client hung up
	failed                 // anything else: no connection, another status
	outcomes
)

// record is what became of one logical request.
type record struct {
	outcome  outcome
	attempts int
	slip     time.Duration // how long after its scheduled time it was sent
	ended    time.Duration // from the start of the run
	latency  time.Duration // of the last attempt, from its sending
}

// pursue makes up to limit attempts, each at once after the last has ended
// otherwise than well, and says how the logical request ended. There is no
// budget, no backoff and no jitter: this is the client that a server has to
// survive.
func pursue(limit int, attempt func() (outcome, time.Duration)) record {
	var r record
	for r.attempts < limit && r.outcome != good {
		r.attempts++
		r.outcome, r.latency = attempt()
	}
	return r
}

// client sends attempts to one address.
type client struct {
	transport *http.Transport
	deadline  time.Duration
	requests  [class.Count]*http.Request // by lane; shared, never changed
}

func newClient(url string, deadline time.Duration) (*client, error) {
	c := &client{deadline: deadline}
	dialer := net.Dialer{KeepAlive: -1}
	c.transport = &http.Transport{
		DisableCompression:  true,
		MaxIdleConnsPerHost: 1 << 14,
		DialContext: func(ctx context.Context, network, address string) (net.Conn, error) {
			conn, err := dialer.DialContext(ctx, network, address)
			if tcp, ok := conn.(*net.TCPConn); ok {
				// Hang up with a reset. An HTTP/1.1 client that hangs up
				// loses its connection, thousands of times a second here;
				// each would hold a local port in TIME_WAIT for a minute.
				_ = tcp.SetLinger(0)
			}
			return conn, err
		},
	}
	for _, m := range mix {
		r, err := http.NewRequest(http.MethodGet, url, nil)
		if err != nil {
			return nil, err
		}
		r.Header.Set("X-Request-Criticality", m.class.String())
		r.Header.Set("X-Request-Timeout-Ms", strconv.FormatInt(deadline.Milliseconds(), 10))
		c.requests[m.class.Lane()] = r
	}
	return c, nil
}

// attempt sends one request and waits for its answer until the deadline, when
// it hangs up. A refused attempt keeps its connection.
func (c *client) attempt(ctx context.Context, cl class.Criticality) (outcome, time.Duration) {
	begin := time.Now() // no later than the deadline's clock begins
	ctx, cancel := context.WithTimeout(ctx, c.deadline)
	defer cancel()
	resp, err := c.transport.RoundTrip(c.requests[cl.Lane()].WithContext(ctx))
	if err == nil {
		_, err = io.Copy(io.Discard, resp.Body)
		_ = resp.Body.Close()
	}
	took := time.Since(begin)
	switch {
	case errors.Is(ctx.Err(), context.DeadlineExceeded) || took > c.deadline:
		return late, took
	case err != nil:
		return failed, took
	}
	switch resp.StatusCode {
	case http.StatusOK:
		return good, took
	case http.StatusTooManyRequests, http.StatusServiceUnavailable, http.StatusGatewayTimeout:
		return refused, took
	}
	return failed, took
}

// play sends every arrival at its time and returns what became of each, when
// the last has ended. Slow answers never slow the sending: every logical
// request has a goroutine of its own. Done ctx: what was not sent stays unsent.
func (c *client) play(ctx context.Context, arrivals []arrival, attempts int, g *gauges) []record {
	records := make([]record, len(arrivals))
	var inFlight sync.WaitGroup
	start := time.Now()
	for i, a := range arrivals {
		if ctx.Err() != nil {
			break
		}
		time.Sleep(a.at - time.Since(start))
		inFlight.Go(func() {
			g.offered.Add(1)
			slip := time.Since(start) - a.at
			records[i] = pursue(attempts, func() (outcome, time.Duration) {
				g.attempts.Add(1)
				return c.attempt(ctx, a.class)
			})
			records[i].slip, records[i].ended = slip, time.Since(start)
			g.ended[records[i].outcome].Add(1)
		})
	}
	inFlight.Wait()
	return records
}

func (c *client) close() { c.transport.CloseIdleConnections() }
