package checkout

import (
	"context"

	"github.com/plimsoll-go/plimsoll/cmd/plimsoll/internal/openloop"
)

// capacities are what the checkout does in pages a second, measured.
type capacities struct {
	whole    float64 // every tier off
	first    float64 // the first tier on
	cheapest float64 // all of them on
}

// capacities measures them, with tiers that are switched by hand.
func (p plan) capacities(ctx context.Context, l *live) (c capacities, err error) {
	s, err := open(ctx, roleAfter, false)
	if err != nil {
		return c, err
	}
	defer s.close()
	for _, m := range []struct {
		what string
		on   int // tiers, the first of them
		to   *float64
	}{
		{"every tier off", 0, &c.whole},
		{"without " + tiers[0].name, 1, &c.first},
		{"every tier on", len(tiers), &c.cheapest},
	} {
		l.note("measuring the capacity, %s ...", m.what)
		for i, t := range tiers {
			mode := "off"
			if i < m.on {
				mode = "on"
			}
			if err := s.checkout.tier(ctx, t.name, mode); err != nil {
				return c, err
			}
		}
		if *m.to, err = p.closedLoop(ctx, s.checkout.url); err != nil {
			return c, err
		}
	}
	return c, nil
}

// closedLoop keeps more shoppers than the store has workers asking for pages,
// one after the other, and counts what they get.
func (p plan) closedLoop(ctx context.Context, url string) (float64, error) {
	s, err := newShoppers(url, false)
	if err != nil {
		return 0, err
	}
	defer s.close()
	return openloop.Closed(ctx, p.callers, p.measured/2, p.measured, p.measured, func(ctx context.Context) openloop.Outcome {
		o := s.once(ctx, 5*patience)
		if o != openloop.Good {
			openloop.Pause(ctx, backoff)
		}
		return o
	})
}
