package proxy

import (
	"log/slog"
	"time"

	"github.com/plimsoll-go/plimsoll/breaker"
	"github.com/plimsoll-go/plimsoll/class"
)

// breakerLog logs what the breakers of upstreams do. It looks at them now and
// then, so that one that flaps fills no log: of what happened between two looks
// there is one line for how often it opened, and one for what it is now.
type breakerLog map[*backend]*[class.Count]breakerSeen

// breakerSeen is what a breaker was when it was last looked at.
type breakerSeen struct {
	state  breaker.State
	opened uint64
	since  time.Time // when it was first seen not to be closed
}

// look logs what has happened since the last look, and forgets the breakers of
// upstreams that there are no longer.
func (seen *breakerLog) look(now time.Time, upstreams []*backend, log *slog.Logger) {
	next := make(breakerLog, len(*seen))
	for _, b := range upstreams {
		if b.caller == nil || !b.caller.Breaks() {
			continue
		}
		lanes := (*seen)[b]
		if lanes == nil {
			lanes = new([class.Count]breakerSeen)
		}
		next[b] = lanes
		for lane, s := range b.caller.Breakers() {
			lanes[lane].is(now, s, log.With("upstream", b.config.Name, "class", class.FromLane(lane).String()))
		}
	}
	*seen = next
}

// is logs what has become of one breaker.
func (seen *breakerSeen) is(now time.Time, s breaker.Status, log *slog.Logger) {
	before := *seen
	seen.state, seen.opened = s.State, s.Opened
	if before.state == breaker.Closed && s.Opened > before.opened {
		seen.since = now
	}
	if n := s.Opened - before.opened; n > 0 {
		log.Warn("breaker has opened", "why", s.Why.String(), "times", n, "in_all", s.Opened)
	} else if s.State == before.state {
		return
	}
	switch s.State {
	case breaker.HalfOpen:
		log.Info("breaker is half-open", "probes", s.Probes, "not_closed_for", now.Sub(seen.since).Round(time.Millisecond))
	case breaker.Closed:
		log.Info("breaker has closed", "after", now.Sub(seen.since).Round(time.Millisecond))
	}
}
