package config

import (
	"math"
	"time"

	"github.com/plimsoll-go/plimsoll/breaker"
	"github.com/plimsoll-go/plimsoll/client"
)

// Breaker is when nothing is sent to an upstream for a while. The zero value:
// never. They compare with ==.
type Breaker struct {
	// Consecutive failures open it. 0: no row does.
	Consecutive int
	// Failures is the part of failures, and SlowShare that of attempts that
	// take longer than Slow, over the time Over and at least so many Samples, at
	// which it opens. 0: no part does, nothing is slow.
	Failures, SlowShare Percent
	Slow                time.Duration
	Over                time.Duration
	Samples             int
	// Open is how long it is open. 0: there is no breaker.
	Open time.Duration
	// Probes is how many requests find out whether the service is well.
	Probes int
	// Ramp is how long it takes until all requests pass again. 0: they do at
	// once.
	Ramp time.Duration
	// Hang is after what time the end of the caller's own is a failure of the
	// service. 0: always.
	Hang time.Duration
	// Causes are what a failure is, beside that.
	Causes Troubles
}

func newBreaker() Breaker {
	return Breaker{
		Consecutive: breaker.DefaultFailures,
		Failures:    50,
		SlowShare:   100 * breaker.DefaultSlowShare,
		Over:        breaker.DefaultWindow,
		Samples:     breaker.DefaultSamples,
		Open:        breaker.DefaultOpen,
		Probes:      breaker.DefaultProbes,
		Hang:        time.Second,
		Causes:      TroublesOf(NoConnection, Broken, TimedOut, Status502, Status503, Status504),
	}
}

// Failure is what a failed attempt is: by these causes, or as its caller's time
// ended after so long. Where there is no breaker it is as a breaker has it by
// default, for the throttle.
func (b Breaker) Failure() (causes Troubles, hang time.Duration) {
	if b == (Breaker{}) {
		b = newBreaker()
	}
	return b.Causes, b.Hang
}

var breakerKind = maybeFrom(newBreaker, object(newBreaker,
	member("consecutive", number(0, most), func(b *Breaker) *int { return &b.Consecutive },
		"Failures in a row that open it. 0: no row does."),
	member("failures", percent(0, 100), func(b *Breaker) *Percent { return &b.Failures },
		"The part of failures that opens it. 0%: no part does."),
	member("slow", duration(true), func(b *Breaker) *time.Duration { return &b.Slow },
		"From when on an attempt is slow, also one that still hangs: longer than the service may let work wait. 0: none is."),
	member("slowShare", percent(0, 100), func(b *Breaker) *Percent { return &b.SlowShare },
		"The part of slow attempts that opens it, where there is a slow."),
	member("over", duration(false), func(b *Breaker) *time.Duration { return &b.Over },
		"Over what time the parts are counted."),
	member("samples", number(1, most), func(b *Breaker) *int { return &b.Samples },
		"How many attempts there are at least before a part opens it."),
	member("open", duration(false), func(b *Breaker) *time.Duration { return &b.Open },
		"How long it is open: all requests are answered 503 at once, with Retry-After."),
	member("probes", number(1, most), func(b *Breaker) *int { return &b.Probes },
		"How many requests are then sent to find out; if all of them go well it closes, if one does not it is open again."),
	member("ramp", duration(true), func(b *Breaker) *time.Duration { return &b.Ramp },
		"How long it takes, once it has closed, until all requests pass again. 0: they do at once."),
	member("hang", duration(true), func(b *Breaker) *time.Duration { return &b.Hang },
		"A request whose caller's time ends before an answer has begun is a failure if it waited for this long; after less it says nothing, or callers in a hurry would open it. 0: it always is."),
	member("causes", troubles.also(schema{"minItems": 1}), func(b *Breaker) *Troubles { return &b.Causes },
		"What a failure is beside that. A caller that leaves and an answer that says that there is too much to do never are."),
))

// call is what it makes of a client.
func (b Breaker) call(c *client.Config) {
	if b == (Breaker{}) {
		return
	}
	c.Breaker = &breaker.Config{
		Failures: b.Consecutive, Share: b.Failures.Share(), Window: b.Over, Samples: b.Samples,
		Slow: b.Slow, Open: b.Open, Probes: b.Probes, Ramp: b.Ramp,
	}
	if b.Slow > 0 {
		c.Breaker.SlowShare = b.SlowShare.Share()
	}
	if b.Consecutive == 0 && b.Failures == 0 {
		c.Breaker.Failures = math.MaxInt // which 0 is not there
	}
}
