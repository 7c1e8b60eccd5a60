package telemetry

import (
	"time"

	"github.com/plimsoll-go/plimsoll"
)

// Source is a proxy as the admin port sees it. Its methods may be called
// concurrently.
type Source interface {
	// View is what the proxy looks like now. It is asked once for a page or a
	// scrape.
	View() View
	// Ready says why no traffic should be sent here; "" means that it should.
	Ready() string
	// Recover drops the backlog of a gate, or of all gates where the name is
	// empty, and readmits on a ramp; a negative ramp is the one that is
	// configured. It returns the names of the gates, or an error that says
	// which there are.
	Recover(gate string, ramp time.Duration) ([]string, error)
	// Tier has a person switch a tier: on, off, or auto. Where the name of the gate
	// is empty, it does so in all gates that have it. It returns the names of the
	// gates, or an error that says what there is.
	Tier(gate, tier string, who Person) ([]string, error)
	// Reload reads the configuration again. The error says why the old one is
	// still in force.
	Reload() error
	// Bounds is the chain of bounds as JSON has it; nil: it is not known.
	Bounds() any
}

// View is what a proxy looks like at one moment.
type View struct {
	Name      string
	At, Since time.Time // now, and when it began to serve
	Gates     []*plimsoll.Snapshot
	// Limits are the least and the most that each gate's limit may be, by the
	// gate's name. One that is not in it has a fixed limit.
	Limits    map[string][2]int
	Routes    []*Route // those of the configuration in force
	Upstreams []Upstream
	Cache     *Cache     // nil: no route has one
	Recording *Recording // nil: nothing is recorded
	Reload    Reload
}

// Upstream is a service behind and its endpoints.
type Upstream struct {
	Name      string     `json:"name"`
	Endpoints []Endpoint `json:"endpoints"`
	Calls     *Calls     `json:"calls,omitempty"` // nil: every request is sent once
}

// Calls is how requests get to an upstream of which the configuration says
// more than where it is. The counters only grow.
type Calls struct {
	Requests uint64             `json:"requests"`                // that were to be sent
	Attempts uint64             `json:"attempts"`                // that were sent for them
	Ended    map[string]uint64  `json:"ended"`                   // requests without success, by why there was no further attempt
	Balance  *float64           `json:"retry_balance,omitempty"` // retries that the budget has left; nil: there are none
	Breakers map[string]Breaker `json:"breakers,omitempty"`      // by class; nil: there are none
}

// Breaker is what there is to know of one.
type Breaker struct {
	State  string  `json:"state"` // closed, half_open or open
	Age    float64 `json:"age_seconds"`
	Probes int     `json:"probes"` // half-open: under way
	Opened uint64  `json:"opened"`
	Why    string  `json:"why,omitempty"` // it opened last, with the figures
	Stale  uint64  `json:"stale"`         // attempts that ended in a later state than they were sent in, and did not count
}

// Endpoint is one of the places where a service is. The counters only grow.
type Endpoint struct {
	URL       string `json:"url"`
	Ejected   bool   `json:"ejected"`
	InFlight  int    `json:"in_flight"`
	Requests  uint64 `json:"requests"`
	Failures  uint64 `json:"failures"`  // no connection, a broken answer, 502, 504
	Overloads uint64 `json:"overloads"` // refused as overloaded
	Ejections uint64 `json:"ejections"`
}

// Reload is how the configuration came into force.
type Reload struct {
	At       time.Time // when the one in force was read
	Good     uint64    // how many were read without faults, the first included
	Bad      uint64    // how many had faults and changed nothing
	Fault    string    // of the last one read; empty: it is in force
	FaultAt  time.Time // when that was read
	Restart  []string  // what of the one in force waits for a restart
	File     string    // empty: there is none
	Watching bool      // the file is read again when it changes
}
