package checkout

import (
	"context"
	"net/http"
	"sync/atomic"
	"time"

	"github.com/plimsoll-go/plimsoll"
	"github.com/plimsoll-go/plimsoll/breaker"
	"github.com/plimsoll-go/plimsoll/class/wire"
	"github.com/plimsoll-go/plimsoll/client"
	"github.com/plimsoll-go/plimsoll/httpgate"
	"github.com/plimsoll-go/plimsoll/ladder"
	"github.com/plimsoll-go/plimsoll/retry"
)

// standing is how long anybody waits in a queue that does not empty when there
// is nothing left to leave out: who is not served by then is better told at once.
const standing = time.Millisecond

// after is the checkout with the ladder: a gate in front of it in which nobody
// waits for longer than half of a shopper's patience, tiers with their
// thresholds, and calls that are told what is left of the shopper's time. No
// number in it says what it can do.
type after struct {
	parts *parts
	page  []part
	gate  *plimsoll.Gate
	serve http.Handler
	done  atomic.Int64
}

func newAfter(url string, page []part) (*after, error) {
	var steps ladder.Config
	for _, t := range tiers {
		steps.Tiers = append(steps.Tiers, ladder.Tier{Name: t.name, On: t.on})
	}
	gate, err := plimsoll.New(plimsoll.Config{
		Name: "checkout", MaxWait: patience / 2, StandingWait: standing, Ladder: &steps,
	})
	if err != nil {
		return nil, err
	}
	calls, err := client.New(client.Config{
		Retry:   retry.Policy{Attempts: 1}, // shoppers try again, and one layer is enough
		Breaker: &breaker.Config{},
	})
	if err != nil {
		return nil, err
	}
	a := &after{page: page, gate: gate, parts: &parts{url: url, via: httpgate.Transport(calls, pool())}}
	a.serve = httpgate.Config{Wire: wire.Config{Trusted: true}}.Handler(gate, http.HandlerFunc(a.make))
	return a, nil
}

func (a *after) ServeHTTP(w http.ResponseWriter, r *http.Request) { a.serve.ServeHTTP(w, r) }

func (a *after) make(w http.ResponseWriter, r *http.Request) {
	for _, p := range a.page {
		if err := a.part(r.Context(), p); err != nil {
			answer(w, err)
			return
		}
	}
	a.done.Add(1)
	answer(w, nil)
}

// part makes a part of the page, or what stands for it while its tier is on.
func (a *after) part(ctx context.Context, p part) error {
	whole := func(ctx context.Context) error { return a.parts.get(ctx, p.name, false) }
	if p.tier == "" {
		return whole(ctx)
	}
	return ladder.Do(ctx, p.tier, whole, func(ctx context.Context) error {
		if p.cheap == 0 {
			return nil // a list that is at hand, or nothing
		}
		return a.parts.get(ctx, p.name, true)
	})
}

// status is what can be seen of it.
func (a *after) status() status {
	now := a.gate.Snapshot()
	s := status{Pages: a.done.Load(), Limit: now.Limit, Waiting: now.Depth}
	for _, t := range now.Ladder.Tiers {
		if t.On {
			s.Tiers = append(s.Tiers, t.Name)
		}
	}
	return s
}

// override switches a tier by hand, or gives it back.
func (a *after) override(name string, m ladder.Mode) bool { return a.gate.Override(name, m) == nil }
