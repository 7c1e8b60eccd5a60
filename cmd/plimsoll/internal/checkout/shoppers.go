package checkout

import (
	"context"
	"math/rand/v2"
	"net/http"
	"sync"
	"time"

	"github.com/plimsoll-go/plimsoll/class"
	"github.com/plimsoll-go/plimsoll/class/wire"
	"github.com/plimsoll-go/plimsoll/client"
	"github.com/plimsoll-go/plimsoll/cmd/plimsoll/internal/openloop"
	"github.com/plimsoll-go/plimsoll/httpgate"
	"github.com/plimsoll-go/plimsoll/retry"
)

// attempts is how often a shopper's browser tries.
const attempts = 3

// backoff doubles with every try.
const backoff = 100 * time.Millisecond

// mix is what shoppers do.
var mix = []struct {
	class class.Criticality
	share float64
}{
	{class.CriticalPlus, 0.10},  // pay
	{class.Critical, 0.60},      // look and choose
	{class.SheddablePlus, 0.20}, // recommendations and reviews by themselves
	{class.Sheddable, 0.10},     // prefetch, analytics
}

// draw picks one of the mix.
func draw(r *rand.Rand) class.Criticality {
	u := r.Float64()
	for _, m := range mix {
		if u -= m.share; u < 0 {
			return m.class
		}
	}
	return mix[0].class
}

// shoppers ask one checkout for pages.
type shoppers struct {
	url  string
	base *http.Transport
	via  http.RoundTripper // with a budget and jitter; nil: without

	mu       sync.Mutex
	refusals []time.Duration // how long each took
	sent     int
}

// newShoppers are those of before, or with retry controls those of after.
func newShoppers(url string, controlled bool) (*shoppers, error) {
	s := &shoppers{url: url, base: openloop.Transport()}
	if !controlled {
		return s, nil
	}
	c, err := client.New(client.Config{
		Retry:  retry.Policy{Attempts: attempts, Backoff: retry.Backoff{Base: backoff, Jitter: retry.FullJitter}},
		Budget: &retry.BudgetConfig{Share: 0.1},
	})
	if err != nil {
		return nil, err
	}
	s.via = httpgate.Transport(c, s)
	return s, nil
}

// RoundTrip sends one attempt and notes how long a refusal took.
func (s *shoppers) RoundTrip(r *http.Request) (*http.Response, error) {
	begin := time.Now()
	resp, err := s.base.RoundTrip(r)
	took := time.Since(begin)
	s.mu.Lock()
	s.sent++
	if err == nil && openloop.Of(resp.StatusCode) == openloop.Refused {
		s.refusals = append(s.refusals, took)
	}
	s.mu.Unlock()
	return resp, err
}

// visit is one logical request.
func (s *shoppers) visit(ctx context.Context, c class.Criticality) openloop.Record {
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, s.url, nil)
	if err != nil {
		return openloop.Record{Outcome: openloop.Failed}
	}
	if s.via != nil {
		ctx = wire.With(ctx, wire.Tag{Criticality: c})
		outcome, took := openloop.Attempt(ctx, s.via, r, patience)
		return openloop.Record{Outcome: outcome, Attempts: 1, Latency: took}
	}
	pause := func(failed int) { openloop.Pause(ctx, backoff<<(failed-1)) }
	return openloop.Pursue(attempts, pause, func() (openloop.Outcome, time.Duration) {
		return openloop.Attempt(ctx, s, r, patience)
	})
}

// once is a single attempt of somebody who waits so long.
func (s *shoppers) once(ctx context.Context, wait time.Duration) openloop.Outcome {
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, s.url, nil)
	if err != nil {
		return openloop.Failed
	}
	outcome, _ := openloop.Attempt(ctx, s.base, r, wait)
	return outcome
}

// taken returns how many attempts were sent and how long the refusals took
// since it was last asked.
func (s *shoppers) taken() (sent int, refusals []time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	sent, refusals = s.sent, s.refusals
	s.sent, s.refusals = 0, nil
	return sent, refusals
}

func (s *shoppers) close() { s.base.CloseIdleConnections() }
