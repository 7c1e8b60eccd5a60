package limit

import (
	"cmp"
	"errors"
	"fmt"
	"time"
)

// AIMD is additive increase, multiplicative decrease, as AIMDLimit of
// github.com/Netflix/concurrency-limits publishes it, after Chiu and Jain,
// "Analysis of the Increase and Decrease Algorithms for Congestion Avoidance"
// (1989). It is here to be compared with; [Auto] is the default.
//
// Once per window of a second, with L the limit, N the most in flight and R the
// mean time that successes in time held their slot, whether they had waited for
// it or not:
//
//	something was lost, or R > Timeout:   L := floor(L x Backoff)
//	else, 2N >= L:                        L := L + 1
//	else:                                 L stays
//
// and then within Min and Max.
//
// Published, this is done for every request. By windows, one loss among
// thousands makes one step down, as ten do, and the way up is one slot a second;
// what is lost or late is known as a loss and its time is in no mean, so Timeout
// is about successes only. A window of fewer than ten samples changes nothing.
//
// What it is known for: nothing short of a loss stops it, so it climbs past the
// knee until callers' time is used up, and from there goes up and down like a
// saw. Where a few requests are late at any limit it sinks to Min and stays.
//
// It is not safe for concurrent use, and allocates nothing.
type AIMD struct {
	cfg     AIMDConfig
	bounds  bounds
	backoff float64
	timeout time.Duration
	limit   int
}

// AIMDConfig is the constants of an [AIMD]. The zero value is what was
// published.
type AIMDConfig struct {
	// Min is the floor of the limit; 0 means 20, or Max if that is lower.
	Min int
	// Max is its cap; 0 means 200, or Min if that is higher.
	Max int
	// Initial is the limit to start at; 0 means 20, or the bound that is nearest
	// to it.
	Initial int
	// Backoff is what a loss multiplies the limit by, from 0.5 to below 1; 0
	// means 0.9.
	Backoff float64
	// Timeout is the mean latency above which a window counts as one with a
	// loss; 0 means 5 s, which is as good as none for most services.
	Timeout time.Duration
}

var aimdBounds = bounds{min: 20, max: 200, initial: 20}

// Validate returns every fault of the configuration, joined, and nil when
// there is none. It changes nothing.
func (c AIMDConfig) Validate() error {
	errs := bounds{c.Min, c.Max, c.Initial}.faults("AIMD", aimdBounds)
	if c.Backoff != 0 && !(c.Backoff >= 0.5 && c.Backoff < 1) {
		errs = append(errs, fmt.Errorf("limit: AIMD: Backoff %v: give 0.5 to below 1, or 0 for 0.9", c.Backoff))
	}
	if c.Timeout < 0 {
		errs = append(errs, fmt.Errorf("limit: AIMD: Timeout %v: give a positive time, or 0 for 5s", c.Timeout))
	}
	return errors.Join(errs...)
}

// NewAIMD returns an AIMD of c, which should be valid; see
// [AIMDConfig.Validate].
func NewAIMD(c AIMDConfig) *AIMD {
	a := &AIMD{
		cfg:     c,
		bounds:  bounds{c.Min, c.Max, c.Initial}.or(aimdBounds),
		backoff: cmp.Or(c.Backoff, 0.9),
		timeout: cmp.Or(c.Timeout, 5*time.Second),
	}
	a.limit = a.bounds.initial
	return a
}

// Validate returns every fault of the configuration that the AIMD was made
// with, as [AIMDConfig.Validate] does.
func (a *AIMD) Validate() error { return a.cfg.Validate() }

// Start returns the first limit. See [Algorithm].
func (a *AIMD) Start() Next { return windowed(a.limit) }

// Fold takes one step. See [Algorithm]. A window of no length, or of another
// limit than the one that was asked for, is ignored.
func (a *AIMD) Fold(w Window) Next {
	s, ok := sampleOf(w, a.limit)
	if !ok {
		return windowed(a.limit)
	}
	next := float64(a.limit)
	switch {
	case s.drop || s.rtt > a.timeout:
		next *= a.backoff
	case float64(s.inFlight) >= next/2:
		next++
	}
	a.limit = int(a.bounds.clamp(next))
	return windowed(a.limit)
}

var _ Algorithm = (*AIMD)(nil)
