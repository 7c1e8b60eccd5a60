package checkout

import (
	"context"
	"slices"
	"time"

	"github.com/plimsoll-go/plimsoll/cmd/plimsoll/internal/openloop"
)

// reading is how things stood at a boundary of a step, or of its counted part.
type reading struct {
	pages    int64           // made so far
	sent     int             // attempts since the last reading
	refusals []time.Duration // how long each took since the last
	tiers    []string        // that were on for most of the time since the last
}

// watch takes a reading at the start, and at the ends of what settles and of
// what is counted of each step. In between it shows how things go.
func watch(ctx context.Context, l *live, role string, steps []step, checkout *process, sh *shoppers) []reading {
	start := time.Now()
	first, err := checkout.status(ctx)
	if err != nil {
		return nil
	}
	out := []reading{{pages: first.Pages}}
	var begin time.Duration
	for _, s := range steps {
		for _, until := range []time.Duration{begin + s.settle, begin + s.length()} {
			r, ok := observe(ctx, l, role, s, start, until, checkout)
			if !ok {
				return out
			}
			r.sent, r.refusals = sh.taken()
			out = append(out, r)
		}
		begin += s.length()
	}
	l.done()
	return out
}

// observe looks four times a second until that time from the start.
func observe(ctx context.Context, l *live, role string, s step, start time.Time, until time.Duration, checkout *process) (reading, bool) {
	var r reading
	looks, on := 0, map[string]int{}
	last, before := int64(-1), time.Now()
	for {
		left := until - time.Since(start)
		openloop.Pause(ctx, min(left, time.Second/4))
		now, err := checkout.status(ctx)
		if err != nil {
			return r, false
		}
		looks++
		for _, t := range now.Tiers {
			on[t]++
		}
		if last >= 0 {
			l.line(role, s, time.Since(start), float64(now.Pages-last)/time.Since(before).Seconds(), now)
		}
		last, before = now.Pages, time.Now()
		if time.Since(start) >= until {
			r.pages = now.Pages
			for t, n := range on {
				if 2*n > looks {
					r.tiers = append(r.tiers, t)
				}
			}
			slices.Sort(r.tiers)
			return r, true
		}
	}
}
