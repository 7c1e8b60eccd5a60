package proxy

import (
	"context"
	"time"

	"github.com/plimsoll-go/plimsoll"
	"github.com/plimsoll-go/plimsoll/cmd/plimsoll/internal/recovery"
)

// pulse does once a second what no request does, until ctx ends: it frees
// gates that are stuck and are to be freed without being asked, and logs what
// breakers have done, and how much the second has left out of the log.
func (p *Proxy) pulse(ctx context.Context) {
	beat := time.NewTicker(time.Second)
	defer beat.Stop()
	watched := map[*plimsoll.Gate]*recovery.Watch{}
	var breakers breakerLog
	for {
		select {
		case <-ctx.Done():
			return
		case now := <-beat.C:
			p.record.Tick(now)
			breakers.look(now, p.table.Load().upstreams, p.log)
			watched = p.free(now.Sub(p.since), watched)
		}
	}
}

// free frees the gates that are stuck at a time, and returns the watches of
// those that there are.
func (p *Proxy) free(now time.Duration, before map[*plimsoll.Gate]*recovery.Watch) map[*plimsoll.Gate]*recovery.Watch {
	watched := make(map[*plimsoll.Gate]*recovery.Watch, len(before))
	for _, g := range p.gates.all() {
		how := g.config.Recover
		if !how.Automatic {
			continue
		}
		w := before[g.Gate]
		if w == nil {
			w = new(recovery.Watch)
		}
		watched[g.Gate] = w
		s := g.Snapshot()
		rule := recovery.Rule{After: how.After, Below: how.Below.Share(), Ramp: how.Ramp}
		if w.Stuck(now, rule, recovery.SampleOf(&s)) {
			p.log.Warn("freeing a gate that is stuck", "gate", s.Name, "waiting", s.Depth, "in_flight", s.InFlight, "ramp", how.Ramp)
			g.Recover(how.Ramp)
			p.record.Recovered(s.Name, true)
		}
	}
	return watched
}
