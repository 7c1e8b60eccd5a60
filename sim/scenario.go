package sim

import (
	"time"

	"github.com/plimsoll-go/plimsoll/class"
)

// Scenario is what is played. Its zero values are sensible: no gate, no
// disturbances, callers that wait for ever and try once.
type Scenario struct {
	Name     string
	Length   time.Duration // nothing new arrives at or after it
	Sources  []Source
	Stations []Station

	// Bucket is the grain of what is reported over time. Zero: a second.
	Bucket time.Duration

	// Grace is how long after Length the run may last until everybody has an
	// answer or has left; what is open then is reported as open. Zero:
	// [DefaultGrace]. Negative: none, the run ends at Length.
	Grace time.Duration
}

// Defaults of [Scenario].
const (
	DefaultBucket = time.Second
	DefaultGrace  = time.Hour
)

// Source is a stream of requests to one station: one of Arrivals, Records and
// Users.
type Source struct {
	// Name tells its random numbers from others'. Sources of one scenario have
	// different names.
	Name string
	// Arrivals says when requests come, whatever becomes of them.
	Arrivals Arrivals
	// Records are a recorded trace: when requests come and what they are.
	Records []Record
	// Users are a closed loop: each thinks, asks, waits until its request has
	// been answered or is lost, all its attempts included, and thinks again.
	// They begin at a random point of their first thinking. Under two policies
	// the same users ask at different times, as what they wait for differs.
	Users int
	Think Service // how long a user thinks; nil: not at all
	// Station is the index of the station it asks.
	Station int
	// Kinds are what its requests are, by weight.
	Kinds []Kind
	// InTurn takes the kinds in order, each as many times as it weighs, and
	// begins again; otherwise they are drawn at random.
	InTurn bool
}

// Kind is a kind of request and of those who send it.
type Kind struct {
	// Name tells it from the others of its source.
	Name string
	// Weight is its share among the kinds of its source. Zero: 1.
	Weight int

	Service     Service           // what serving it takes
	Stream      Service           // how long it stays open after its first byte; nil: it is answered at once
	Criticality class.Criticality // what the gate is told
	Level       class.Level
	Tenant      string // empty: nobody's
	Cost        int64  // what it counts against its tenant; 0: 1
	NoWait      bool   // refused where it would have to wait
	Bytes       int64  // of memory that it holds while inside; 0: Memory.Each

	// Calls are what serving it asks of other stations.
	Calls []Call

	Client Client
}

// Client is how the callers of a kind behave. The zero value waits for ever
// and tries once.
type Client struct {
	// Patience is how long one attempt waits for its answer: at the very
	// nanosecond an answer is in time. Most makes it uniform between the two.
	// Zero: for ever.
	Patience time.Duration
	Most     time.Duration

	// Deadline is how long the gate is told that an attempt waits. Zero: its
	// patience. Negative: it is told nothing.
	Deadline time.Duration

	// Hangup takes an attempt whose caller has left out of the gate's queue,
	// as a closed connection does. Without it, the gate goes by the deadline
	// it was told. Work that was admitted is done in any case.
	Hangup bool

	// Attempts is how often it tries at most, after a refusal, an error or when
	// its patience ends. Zero: once.
	Attempts int

	// Backoff is the wait before the second attempt, before jitter; it doubles
	// from attempt to attempt, up to MaxBackoff (zero: no bound). Zero: it
	// tries again at once.
	Backoff    time.Duration
	MaxBackoff time.Duration

	// Jitter says how the wait is spread.
	Jitter Jitter

	// HonourRetryAfter waits at least as long as a refusal asks.
	HonourRetryAfter bool

	// HeedGivenUp does not try again where the station failed for a call that
	// it had given up: that layer has made its attempts already, and those of
	// two layers multiply.
	HeedGivenUp bool

	// Budget bounds the retries. Throttle and Breaker hold attempts back, which
	// fail at once and never reach a station. Each is shared by all callers of
	// the kind. Nil: there is none.
	Budget   *Budget
	Throttle *Throttle
	Breaker  *Breaker

	// RefusalsFail is a fault, to show what comes of it: the Breaker takes a
	// refusal for a failure.
	RefusalsFail bool
}

// Station serves requests with workers that take jobs in order from a queue
// without a bound, and do every job, wanted or not. What bounds it is its
// gate.
type Station struct {
	Name string
	// Workers serve one job each at a time. Zero: there is always one free,
	// which without Sharing makes the station a pure delay.
	Workers int
	// Sharing has jobs share the station's speed. Nil: each has a worker.
	Sharing *Sharing
	// Cache makes it slow while it is cold. Nil: it has none.
	Cache *Cache
	// NewestFirst takes the latest job first.
	NewestFirst bool
	// Gate rules on arrivals. Nil: everybody is admitted.
	Gate *Gate
	// Admitter makes the policy of one run that rules in a gate's place. Nil:
	// the gate does.
	Admitter func() Admitter
	// RefusalCost is the share of its service that refusing a request takes
	// of a worker, before any admitted job: 0 to 1.
	RefusalCost float64
	// Memory is what its process may use. Nil: there is no bound.
	Memory *Memory
	// Disturbances happen to it, in any order.
	Disturbances []Disturbance
}

// Disturbance is an effect at a time.
type Disturbance struct {
	At     time.Duration
	Effect Effect
}
