package breaker

import (
	"cmp"
	"errors"
	"fmt"
	"time"
)

// Config is what a [Breaker] goes by. The zero value opens after five failures
// in a row.
type Config struct {
	// Failures is after how many in a row it opens. Zero: [DefaultFailures]
	// where there is no Share, otherwise a row opens nothing.
	Failures int
	// Share is the share of failures, over the last Window and at least so many
	// Samples, at which it opens, from 0 to 1. Zero: no share does.
	Share   float64
	Window  time.Duration // zero: [DefaultWindow]
	Samples int           // zero: [DefaultSamples]
	// Slow is after what time an attempt is slow, whether it has ended or still
	// hangs. It is longer than the destination lets work wait for its turn, or a
	// queue would look like a hang. Zero: none is.
	Slow time.Duration
	// SlowShare is the share of slow attempts at which it opens, as Share is that
	// of failures. Zero: [DefaultSlowShare] where there is a Slow.
	SlowShare float64
	// Open is how long it is open. Zero: [DefaultOpen].
	Open time.Duration
	// Probes is how many pass when it is half-open. Zero: [DefaultProbes].
	Probes int
	// Ramp is how long after it has closed again the share that passes rises
	// from a tenth to all. Zero: all pass at once.
	Ramp time.Duration
}

// Defaults of [Config]: those of the window, the samples and of being open are
// Hystrix's.
const (
	DefaultFailures  = 5
	DefaultWindow    = 10 * time.Second
	DefaultSamples   = 20
	DefaultSlowShare = 0.5
	DefaultOpen      = 5 * time.Second
	DefaultProbes    = 1
)

// Validate reports every fault at once and changes nothing.
func (c Config) Validate() error {
	var faults []error
	want := func(ok bool, field, wanted string, got any) {
		if !ok {
			faults = append(faults, fmt.Errorf("breaker: %s: want %s, have %v", field, wanted, got))
		}
	}
	want(c.Failures >= 0, "Failures", "0 or more", c.Failures)
	want(c.Share >= 0 && c.Share <= 1, "Share", "a share from 0 to 1", c.Share)
	want(c.Window >= 0, "Window", "a time of 0 or more", c.Window)
	want(c.Samples >= 0, "Samples", "0 or more", c.Samples)
	want(c.Slow >= 0, "Slow", "a time of 0 or more", c.Slow)
	want(c.SlowShare >= 0 && c.SlowShare <= 1, "SlowShare", "a share from 0 to 1", c.SlowShare)
	want(c.SlowShare == 0 || c.Slow != 0, "SlowShare", "none, or a Slow that says what is slow", c.SlowShare)
	want(c.Open >= 0, "Open", "a time of 0 or more", c.Open)
	want(c.Probes >= 0, "Probes", "0 or more", c.Probes)
	want(c.Ramp >= 0, "Ramp", "a time of 0 or more", c.Ramp)
	return errors.Join(faults...)
}

// resolved is c with every default filled in.
func (c Config) resolved() Config {
	if c.Failures == 0 && c.Share == 0 {
		c.Failures = DefaultFailures
	}
	if c.Slow > 0 {
		c.SlowShare = cmp.Or(c.SlowShare, DefaultSlowShare)
	}
	c.Window = cmp.Or(c.Window, DefaultWindow)
	c.Samples = cmp.Or(c.Samples, DefaultSamples)
	c.Open = cmp.Or(c.Open, DefaultOpen)
	c.Probes = cmp.Or(c.Probes, DefaultProbes)
	return c
}
