package config

import (
	"time"

	"github.com/plimsoll-go/plimsoll/class/wire"
	"github.com/plimsoll-go/plimsoll/client"
	"github.com/plimsoll-go/plimsoll/retry"
)

// Retries is when a request is sent to an upstream again. The zero value: never.
// They compare with ==.
type Retries struct {
	// Attempts is how many there are at most, the first included. 0: there are
	// no retries.
	Attempts int
	// Backoff is the most that is waited before the second, and twice as much
	// before each further one, MaxBackoff at most. 0: nothing is waited.
	Backoff, MaxBackoff time.Duration
	// AttemptTimeout is how long an attempt waits for its answer to begin. 0: for
	// as long as the caller does.
	AttemptTimeout time.Duration
	// Budget is how many retries there may be for the requests of the last
	// seconds, and Reserve how many a second beside.
	Budget  Percent
	Reserve int
	// Bodies is how much of a request's body is kept to be sent again; a longer
	// one is sent once.
	Bodies Bytes
	// Methods are those of requests that may be sent again after they may have
	// been read.
	Methods Methods
	// Causes are what there is another attempt for.
	Causes Troubles
}

func newRetries() Retries {
	return Retries{
		Attempts:   retry.DefaultAttempts,
		Backoff:    25 * time.Millisecond,
		MaxBackoff: 250 * time.Millisecond,
		Budget:     100 * retry.DefaultShare,
		Reserve:    1,
		Bodies:     64 << 10,
		Methods:    idempotent,
		Causes:     TroublesOf(NoConnection, Broken, Status502, Status503),
	}
}

var retries = maybeFrom(newRetries, object(newRetries,
	member("attempts", number(2, wire.MaxAttempt), func(r *Retries) *int { return &r.Attempts },
		"How many attempts there are at most, the first included. A caller that says that this is its second has one less."),
	member("backoff", duration(true), func(r *Retries) *time.Duration { return &r.Backoff },
		"What is waited before the second attempt at most; twice as much before each further one. A random share of it is waited. 0: nothing."),
	member("maxBackoff", duration(false), func(r *Retries) *time.Duration { return &r.MaxBackoff },
		"What is waited at most. The slot of the gate is held meanwhile: what the service wants to be spared for longer than this is not sent again here."),
	member("attemptTimeout", duration(true), func(r *Retries) *time.Duration { return &r.AttemptTimeout },
		"How long one attempt waits for its answer to begin. 0: for as long as its caller does."),
	member("budget", percent(0, 100), func(r *Retries) *Percent { return &r.Budget },
		"How many retries there may be, of the requests of the last ten seconds: of all callers together."),
	member("reserve", number(0, 1e6), func(r *Retries) *int { return &r.Reserve },
		"How many retries a second there may be beside, so that a few requests can be retried at all."),
	member("bodies", size(0, 16<<20), func(r *Retries) *Bytes { return &r.Bodies },
		"How much of a request's body is kept for another attempt. A longer one passes through as it comes and is sent once."),
	member("methods", methods, func(r *Retries) *Methods { return &r.Methods },
		"What is sent again although it may have been read; as well as what has an Idempotency-Key. What was not sent at all may always be."),
	member("causes", troubles.also(schema{"minItems": 1}), func(r *Retries) *Troubles { return &r.Causes },
		"After what there is another attempt: no connection, a connection that broke before the answer, the timeout of the attempt, these statuses. Never after an answer that says that there is too much to do: 429, 503 with Retry-After, the refusal of a gate."),
))

// call is what it makes of a client: without retries, one attempt.
func (r Retries) call(c *client.Config) {
	if r.Attempts == 0 {
		c.Retry.Attempts = 1
		return
	}
	c.Retry = retry.Policy{Attempts: r.Attempts, Backoff: retry.Backoff{Base: r.Backoff, Max: r.MaxBackoff}}
	c.Budget = &retry.BudgetConfig{Share: r.Budget.Share(), Reserve: float64(r.Reserve)}
	if r.Budget == 0 {
		c.Budget.Share = -1 // none, which 0 is not there
	}
}
