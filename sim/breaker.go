package sim

import (
	"time"

	"github.com/plimsoll-go/plimsoll/internal/core"
)

// Breaker holds back the attempts of a kind's callers while those sent fail
// (Nygard, "Release It!", 2007). Closed, it lets all pass and counts how they
// end. After too many failures it is open and lets none pass, for so long; then
// half-open, it lets a few pass, its probes: if all of them succeed it closes,
// if one fails it is open again.
//
// An attempt fails when its caller's patience ends, or with an error. A refusal
// says that the station lives and has too much to do: it is no failure, nor is
// it a success. A probe that ends so gives its place to another, as does one of
// which nothing is heard for as long as the breaker was open. What becomes of
// an attempt counts only in the state that it was sent in.
type Breaker struct {
	// Failures is after how many in a row it opens. Zero: five where there is
	// no Share, otherwise a row opens nothing.
	Failures int
	// Share is the share of failures, over the last Window and at least so many
	// Samples, at which it opens. Zero: no share does.
	Share   float64
	Window  time.Duration // zero: ten seconds
	Samples int           // zero: twenty
	// Open is how long it is open. Zero: five seconds.
	Open time.Duration
	// Probes is how many pass when it is half-open. Zero: one.
	Probes int
}

// Defaults of [Breaker]: those of a window, of samples and of its being open
// are Hystrix's.
const (
	DefaultFailures      = 5
	DefaultBreakerWindow = 10 * time.Second
	DefaultSamples       = 20
	DefaultOpen          = 5 * time.Second
	DefaultProbes        = 1
)

func (b *Breaker) validate(where string, f *faults) {
	f.want(b.Failures >= 0, where+".Failures", "want 0 or more, have %d", b.Failures)
	f.want(b.Share >= 0 && b.Share <= 1, where+".Share", "want a share from 0 to 1, have %v", b.Share)
	f.want(b.Window >= 0 && b.Window <= longest, where+".Window", "want a time of 0 or more, have %v", b.Window)
	f.want(b.Samples >= 0, where+".Samples", "want 0 or more, have %d", b.Samples)
	f.want(b.Open >= 0 && b.Open <= longest, where+".Open", "want a time of 0 or more, have %v", b.Open)
	f.want(b.Probes >= 0, where+".Probes", "want 0 or more, have %d", b.Probes)
}

// breaker is a breaker at work. It counts attempts that had a verdict and how
// many of them failed.
type breaker struct {
	failures, samples, probes int
	share                     float64
	length                    time.Duration // that it is open

	state   breakerState
	term    uint32        // goes up with every change of state
	row     int           // failures since a success, while closed
	recent  recent        // while closed
	until   time.Duration // open: when it is half-open; half-open: how long it waits for its probes
	places  int           // half-open: probes that may still pass
	healthy int           // half-open: probes that have succeeded
}

const (
	verdicts = iota
	failures
)

type breakerState uint8

const (
	closed breakerState = iota
	open
	halfOpen
)

func newBreaker(of *Breaker) *breaker {
	b := &breaker{failures: of.Failures, samples: of.Samples, probes: of.Probes, share: of.Share, length: of.Open, recent: newRecent(of.Window)}
	if b.failures == 0 && b.share == 0 {
		b.failures = DefaultFailures
	}
	if b.samples == 0 {
		b.samples = DefaultSamples
	}
	if b.probes == 0 {
		b.probes = DefaultProbes
	}
	if b.length == 0 {
		b.length = DefaultOpen
	}
	if of.Window == 0 {
		b.recent = newRecent(DefaultBreakerWindow)
	}
	return b
}

// pass reports whether an attempt is sent, and in which term, or how long it
// takes until one may be.
func (b *breaker) pass(now time.Duration) (term uint32, wait time.Duration, ok bool) {
	if b.state == closed {
		return b.term, 0, true
	}
	if now >= b.until && (b.state == open || b.places == 0) {
		b.enter(halfOpen, now)
	}
	if b.state == open || b.places == 0 {
		return 0, b.until - now, false
	}
	b.places--
	return b.term, 0, true
}

// heard is what became of an attempt of a term. A refusal, and what its caller
// did not wait for, say nothing of whether the station is well.
func (b *breaker) heard(now time.Duration, term uint32, o core.Outcome) {
	failed := o == core.Failed || o == core.TimedOut
	switch {
	case term != b.term:
	case b.state == halfOpen && failed:
		b.enter(open, now)
	case b.state == halfOpen && o != core.Success:
		b.places++
	case b.state == halfOpen:
		if b.healthy++; b.healthy == b.probes {
			b.enter(closed, now)
		}
	case o == core.Success:
		b.row = 0
		b.judge(now)
	case failed:
		b.row++
		b.recent.count(now, failures)
		b.judge(now)
	}
}

// judge counts a verdict, and opens where too many were bad.
func (b *breaker) judge(now time.Duration) {
	b.recent.count(now, verdicts)
	if b.tooMany() {
		b.enter(open, now)
	}
}

func (b *breaker) tooMany() bool {
	n := b.recent.sum[verdicts]
	return b.failures > 0 && b.row >= b.failures ||
		b.share > 0 && n >= uint64(b.samples) && float64(b.recent.sum[failures]) >= float64(b.share*float64(n))
}

func (b *breaker) enter(s breakerState, now time.Duration) {
	b.state, b.until = s, now+b.length
	b.term++
	b.row, b.recent = 0, newRecent(b.recent.step*slots)
	b.places, b.healthy = b.probes, 0
}
