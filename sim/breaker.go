package sim

import "time"

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
	f.want(false, where, "breakers are not played yet")
}
