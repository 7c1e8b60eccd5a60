package upstream

import "time"

// Snapshot is what a service looks like at one moment.
type Snapshot struct {
	Name      string             `json:"name"`
	Endpoints []EndpointSnapshot `json:"endpoints"`
}

// EndpointSnapshot is what one endpoint looks like.
type EndpointSnapshot struct {
	// URL is the endpoint as it was configured.
	URL string `json:"url"`
	// State is one of [States].
	State string `json:"state"`
	// Left is how long an ejected or resting endpoint stays that way.
	Left time.Duration `json:"left_ns"`
	// InFlight is the number of requests that are under way there, long-lived
	// streams included.
	InFlight int `json:"in_flight"`
	// Setbacks is what it refused or failed lately, in requests in flight that
	// it counts as.
	Setbacks float64 `json:"setbacks"`
	// Dialing is the number of connections that are being made.
	Dialing int `json:"dialing"`
	Counts
}

// The states of an endpoint.
const (
	StateReady   = "ready"
	StateRamping = "ramping" // back, and not yet due its whole share
	StateResting = "resting" // refuses everything and has asked to be spared
	StateEjected = "ejected" // left out for failing
	StateProbed  = "probed"  // ejected, and one request is finding out whether it is well
)

// States are all states, for metrics.
func States() []string {
	return []string{StateReady, StateRamping, StateResting, StateEjected, StateProbed}
}

// Snapshot returns what the service looks like now.
func (s *Service) Snapshot() Snapshot {
	now := s.now()
	out := Snapshot{Name: s.name, Endpoints: make([]EndpointSnapshot, len(s.endpoints))}
	s.mu.Lock()
	for i := range s.balance.members {
		out.Endpoints[i] = s.balance.members[i].snapshot(now)
	}
	s.mu.Unlock()
	for i, e := range s.endpoints {
		o := &out.Endpoints[i]
		o.URL, o.Dialing, o.Dials = e.name, e.dialer.open(), e.dialer.dials.Load()
	}
	return out
}

func (m *member) snapshot(now time.Duration) EndpointSnapshot {
	out := EndpointSnapshot{State: StateReady, InFlight: m.inFlight, Setbacks: m.set.now(now), Counts: m.counts}
	switch {
	case m.out && m.probing:
		out.State = StateProbed
	case m.out:
		out.State, out.Left = StateEjected, max(0, m.until-now)
	case now < m.restUntil:
		out.State, out.Left = StateResting, m.restUntil-now
	case now < m.back+m.ramp:
		out.State, out.Left = StateRamping, m.back+m.ramp-now
	}
	return out
}
