package demo

import (
	"context"
	"net/http"
	"strconv"
	"time"

	"github.com/plimsoll-go/plimsoll/class"
	"github.com/plimsoll-go/plimsoll/cmd/plimsoll/internal/openloop"
)

// client sends attempts to one address.
type client struct {
	transport *http.Transport
	deadline  time.Duration
	requests  [class.Count]*http.Request // by lane; shared, never changed
}

func newClient(url string, deadline time.Duration) (*client, error) {
	c := &client{transport: openloop.Transport(), deadline: deadline}
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

// attempt sends one request and waits for its answer until the deadline.
func (c *client) attempt(ctx context.Context, cl class.Criticality) (openloop.Outcome, time.Duration) {
	return openloop.Attempt(ctx, c.transport, c.requests[cl.Lane()], c.deadline)
}

// play sends every arrival at its time and returns what became of each, when
// the last has ended. A client that is not answered well tries again at once.
func (c *client) play(ctx context.Context, arrivals []arrival, attempts int, g *gauges) []openloop.Record {
	return openloop.Play(ctx, timesOf(arrivals), func(i int) openloop.Record {
		g.offered.Add(1)
		r := openloop.Pursue(attempts, nil, func() (openloop.Outcome, time.Duration) {
			g.attempts.Add(1)
			return c.attempt(ctx, arrivals[i].class)
		})
		g.ended[r.Outcome].Add(1)
		return r
	})
}

func (c *client) close() { c.transport.CloseIdleConnections() }
