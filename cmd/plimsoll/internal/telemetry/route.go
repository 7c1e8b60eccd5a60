package telemetry

import (
	"log/slog"
	"net/http"
	"sync"
	"sync/atomic"

	"github.com/plimsoll-go/plimsoll"
	"github.com/plimsoll-go/plimsoll/class"
	"github.com/plimsoll-go/plimsoll/cmd/plimsoll/internal/cache"
	"github.com/plimsoll-go/plimsoll/httpgate"
)

// The ways in which a request ends: late, which is a success after the
// deadline, beside the outcomes of a ticket, then the reasons of refusals, and
// what a breaker held back before the gate was asked.
const (
	late       = plimsoll.NumOutcomes
	refusedFor = late + 1
	held       = refusedFor + plimsoll.NumReasons
	endings    = held + 1
)

// attemptNames are the values of the label attempt: of 0, which is not known,
// to 4 and beyond.
var attemptNames = [...]string{"unknown", "1", "2", "3", "4+"}

// Route counts how the requests of one route end. Get one from
// [Recorder.Route]; it may be used concurrently.
type Route struct {
	name string
	gate *gateCounts

	ended    [class.Count][endings]atomic.Uint64
	attempts [len(attemptNames)]atomic.Uint64
	took     times
	cached   [cache.NumResults]atomic.Uint64

	recorder *Recorder
}

// Name is the value of the label route.
func (r *Route) Name() string { return r.name }

// Gate is the name of the gate that the route's requests pass.
func (r *Route) Gate() string { return r.gate.name }

// gateCounts is what is counted of a gate beside what it counts itself.
type gateCounts struct {
	name      string
	slots     atomic.Int64 // nanoseconds
	took      [class.Count]times
	held      [class.Count]atomic.Uint64 // by a breaker, before it was asked
	rungs     [rungs]atomic.Uint64
	answered  [class.Count][plimsoll.NumOutcomes]atomic.Uint64 // by the proxy, before it was asked
	tiers     sync.Map                                         // of *tierCounts, by name
	requested atomic.Uint64                                    // recoveries that somebody asked for
	automatic atomic.Uint64                                    // and those that happened by themselves
}

// Observe counts one request of the route: [httpgate.Config.Observe].
func (r *Route) Observe(req *http.Request, e httpgate.Ended) {
	lane := e.Criticality.Lane()
	r.ended[lane][ending(&e)].Add(1)
	r.attempts[min(max(e.Attempt, 0), len(attemptNames)-1)].Add(1)
	r.gate.rungs[rung(&e)].Add(1)
	if e.Degraded.Tiers != 0 {
		r.gate.degraded(e.Degraded)
	}
	switch {
	case e.Refusal != nil:
		r.recorder.sheds.refused(r, &e)
	case !e.Stream:
		r.took.add(e.Waited + e.Held)
		r.gate.took[lane].add(e.Waited + e.Held)
		r.gate.slots.Add(int64(e.Held))
	}
	observeSpan(req.Context(), r, &e)
}

// BreakerOpen is the reason of what was refused before the gate was asked, as
// the breaker of the upstream let nothing through.
const BreakerOpen = "breaker_open"

// Held counts one request that was refused for [BreakerOpen].
func (r *Route) Held(c class.Criticality, attempt int) {
	r.ended[c.Lane()][held].Add(1)
	r.gate.held[c.Lane()].Add(1)
	r.gate.rungs[rungFailFast].Add(1)
	r.attempts[min(max(attempt, 0), len(attemptNames)-1)].Add(1)
}

// ending is the index of how a request has ended.
func ending(e *httpgate.Ended) int {
	switch {
	case e.Refusal != nil:
		return refusedFor + int(e.Refusal.Reason)
	case e.Outcome == plimsoll.Success && e.Late:
		return late
	}
	return int(e.Outcome)
}

// count is how many requests of a class have ended, and how many of them well.
func (r *Route) count(lane int) (ended, good uint64) {
	for i := range r.ended[lane] {
		ended += r.ended[lane][i].Load()
	}
	return ended, r.ended[lane][plimsoll.Success].Load()
}

// endedAs is how many requests of all classes have ended in one way.
func (r *Route) endedAs(ending int) (n uint64) {
	for lane := range r.ended {
		n += r.ended[lane][ending].Load()
	}
	return n
}

// Recorder keeps what is counted of routes, and of gates beside what they
// count themselves, for as long as the process runs: a new configuration finds
// the counters of what it has kept. Make one with [New]; it may be used
// concurrently.
type Recorder struct {
	// Events is what the proxy counts itself.
	Events Events

	sheds *sheds
	trace *tracing // nil: nothing is traced

	mu     sync.Mutex
	gates  map[string]*gateCounts
	routes map[[2]string]*Route // by name and gate
}

// New returns a recorder that logs refusals to log, none as long as
// [Recorder.LogSheds] is not called. Nil: it logs nothing.
func New(log *slog.Logger) *Recorder {
	return &Recorder{sheds: &sheds{log: log}, gates: map[string]*gateCounts{}, routes: map[[2]string]*Route{}}
}

// Route returns the counters of a route whose requests pass a gate, the same
// ones every time.
func (rec *Recorder) Route(name, gate string) *Route {
	rec.mu.Lock()
	defer rec.mu.Unlock()
	key := [2]string{name, gate}
	r := rec.routes[key]
	if r == nil {
		r = &Route{name: name, gate: rec.gateLocked(gate), recorder: rec}
		rec.routes[key] = r
	}
	return r
}

// Retain forgets the routes, and the gates, that are not among those given:
// the ones of a configuration that has come into force.
func (rec *Recorder) Retain(routes []*Route) {
	rec.mu.Lock()
	defer rec.mu.Unlock()
	clear(rec.routes)
	clear(rec.gates)
	for _, r := range routes {
		rec.routes[[2]string{r.name, r.gate.name}] = r
		rec.gates[r.gate.name] = r.gate
	}
}

// Recovered counts one recovery of a gate.
func (rec *Recorder) Recovered(gate string, automatic bool) {
	g := rec.gate(gate)
	if automatic {
		g.automatic.Add(1)
	} else {
		g.requested.Add(1)
	}
}

func (rec *Recorder) gate(name string) *gateCounts {
	rec.mu.Lock()
	defer rec.mu.Unlock()
	return rec.gateLocked(name)
}

func (rec *Recorder) gateLocked(name string) *gateCounts {
	g := rec.gates[name]
	if g == nil {
		g = &gateCounts{name: name}
		rec.gates[name] = g
	}
	return g
}
