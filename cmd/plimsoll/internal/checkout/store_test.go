package checkout

import (
	"context"
	"math"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

// The store's capacity follows from what the parts cost, whoever is late.
func TestTheStoreDoesWhatItsPartsCost(t *testing.T) {
	for _, tt := range []struct {
		name string
		on   int // tiers
		want float64
	}{{"whole", 0, 460}, {"without the first", 1, 561}, {"the cheapest", len(tiers), 610}} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := newStore()
				ctx, cancel := context.WithCancel(t.Context())
				var pages atomic.Int64
				var loops sync.WaitGroup
				for range 3 * workers {
					loops.Go(func() {
						for ctx.Err() == nil {
							for _, p := range page {
								cost := p.cost
								for _, tier := range tiers[:tt.on] {
									if tier.name == p.tier {
										cost = p.cheap
									}
								}
								if cost > 0 {
									_ = s.work(ctx, cost)
								}
							}
							if ctx.Err() == nil {
								pages.Add(1)
							}
						}
					})
				}
				time.Sleep(time.Second)
				synctest.Wait()
				pages.Store(0)
				time.Sleep(10 * time.Second)
				synctest.Wait()
				if got := float64(pages.Load()) / 10; math.Abs(got-tt.want) > 2 {
					t.Errorf("%.1f pages a second, want %.0f", got, tt.want)
				}
				cancel()
				loops.Wait()
			})
		})
	}
}

func TestTheStoreDoesNotWorkForTheDeparted(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newStore()
		for range workers {
			go func() { _ = s.work(t.Context(), time.Second) }()
		}
		synctest.Wait()
		ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
		defer cancel()
		begin := time.Now()
		if err := s.work(ctx, time.Second); err == nil || time.Since(begin) != 100*time.Millisecond {
			t.Errorf("%v after %s", err, time.Since(begin))
		}
		time.Sleep(time.Second)
		if len(s.idle) != workers {
			t.Errorf("%d of %d workers are idle", len(s.idle), workers)
		}
	})
}

// A tier that nobody has, or a part whose tier is missing, would be dropped
// never or always.
func TestPartsAndTiersFit(t *testing.T) {
	named := map[string]int{}
	for _, p := range page {
		if p.tier != "" {
			named[p.tier]++
		}
		if p.cheap >= p.cost {
			t.Errorf("%s: %s instead of %s saves nothing", p.name, p.cheap, p.cost)
		}
	}
	for _, tier := range tiers {
		if named[tier.name] != 1 {
			t.Errorf("tier %s: %d parts", tier.name, named[tier.name])
		}
	}
	if len(named) != len(tiers) {
		t.Errorf("%d tiers of parts, %d steps", len(named), len(tiers))
	}
}
