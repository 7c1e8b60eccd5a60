package bounds

import "github.com/plimsoll-go/plimsoll"

// Reading is what the system says, and the running process where there is
// one.
type Reading struct {
	// Process is the process that was read; 0: none, and what follows from the
	// traffic is not known.
	Process int `json:"process"`
	// Backlog is how many connections may wait for being accepted, on each
	// port. 0: not known.
	Backlog int `json:"backlog"`
	// Files is how many descriptors a process may have open. 0: not known, or
	// no bound.
	Files int `json:"files"`
	// FilesOpen is how many are. 0: not known.
	FilesOpen int        `json:"files_open,omitempty"`
	Listeners []Listener `json:"listeners,omitempty"`
	Gates     []Gate     `json:"gates,omitempty"`
}

// Listener is what a running proxy says of a port.
type Listener struct {
	Address     string `json:"address"` // as configured
	Connections int    `json:"connections"`
}

// Gate is what a running proxy says of a gate.
type Gate struct {
	Name      string  `json:"name"`
	Limit     int     `json:"limit"`
	InFlight  int     `json:"in_flight"`
	Places    int     `json:"places"`
	Depth     int     `json:"depth"`
	Bytes     int64   `json:"bytes"` // that those who wait hold
	Streams   int     `json:"streams"`
	DrainRate float64 `json:"drain_rate"` // completions per second at the limit; 0: not known
}

// GateOf is what a snapshot says of a gate.
func GateOf(s *plimsoll.Snapshot) Gate {
	return Gate{
		Name: s.Name, Limit: s.Limit, InFlight: s.InFlight, Places: s.Bound, Depth: s.Depth, Bytes: s.QueueBytes,
		Streams: s.Streams, DrainRate: s.DrainRate,
	}
}

func (r Reading) listener(address string) (Listener, bool) {
	for _, l := range r.Listeners {
		if l.Address == address {
			return l, true
		}
	}
	return Listener{}, false
}

func (r Reading) gate(name string) (Gate, bool) {
	for _, g := range r.Gates {
		if g.Name == name {
			return g, true
		}
	}
	return Gate{}, false
}
