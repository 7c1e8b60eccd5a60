package checkout

import (
	"context"
	"sync"
	"time"

	"github.com/plimsoll-go/plimsoll/cmd/plimsoll/internal/openloop"
)

// quotes is the other half of the outage: what became of those who ask the
// pricing service for something else, while what the checkout asks it for hangs.
type quotes struct {
	before, after float64 // the share of them who were served, of 1
}

// othersWait is how long the other callers of pricing wait.
const othersWait = 500 * time.Millisecond

// pricing plays it against both checkouts.
func (p plan) pricing(ctx context.Context, l *live) (q quotes, err error) {
	for _, m := range []struct {
		role string
		to   *float64
	}{{roleBefore, &q.before}, {roleAfter, &q.after}} {
		l.note("pricing hangs for the checkout of %s; what becomes of its other callers ...", m.role)
		if *m.to, err = p.othersServed(ctx, m.role); err != nil {
			return q, err
		}
	}
	return q, nil
}

func (p plan) othersServed(ctx context.Context, role string) (float64, error) {
	s, err := open(ctx, role, true)
	if err != nil {
		return 0, err
	}
	defer s.close()
	checkout, err := newShoppers(s.checkout.url, role == roleAfter)
	if err != nil {
		return 0, err
	}
	defer checkout.close()
	others, err := newShoppers(s.behind.url, false)
	if err != nil {
		return 0, err
	}
	defer others.close()

	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	var shopping sync.WaitGroup
	shopping.Go(func() {
		times, classes := schedule([]step{p.quotes})
		openloop.Play(ctx, times, func(i int) openloop.Record { return checkout.visit(ctx, classes[i]) })
	})
	asking := step{rate: p.others, counted: p.quotes.length()}
	times, _ := schedule([]step{asking})
	records := openloop.Play(ctx, times, func(int) openloop.Record {
		return openloop.Record{Outcome: others.once(ctx, othersWait)}
	})
	err = ctx.Err()
	cancel()
	shopping.Wait()
	served, asked := 0, 0
	for i, at := range times {
		if at >= p.quotes.settle {
			asked++
			if records[i].Outcome == openloop.Good {
				served++
			}
		}
	}
	return float64(served) / float64(max(asked, 1)), err
}
