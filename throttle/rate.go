package throttle

import (
	"errors"
	"fmt"
	"time"
)

// RateConfig is what a [Rate] goes by.
type RateConfig struct {
	// PerSecond is how many attempts are sent a second, from 0.001 to 1e6.
	PerSecond float64
	// Burst is how many may be sent at once after a pause, at most 1e6. Zero: as
	// many as come in a tenth of a second, but at least one.
	Burst int
}

// Validate reports every fault at once and changes nothing.
func (c RateConfig) Validate() error {
	var faults []error
	if !(c.PerSecond >= 0.001 && c.PerSecond <= 1e6) {
		faults = append(faults, fmt.Errorf("throttle: PerSecond: want attempts a second, from 0.001 to 1e6, have %v", c.PerSecond))
	}
	if c.Burst < 0 || c.Burst > 1e6 {
		faults = append(faults, fmt.Errorf("throttle: Burst: want 0 to 1e6, have %v", c.Burst))
	}
	return errors.Join(faults...)
}

// Rate bounds what is sent to a destination, whatever comes of it: for one that
// grants so many requests a second and counts those that it refuses. It is the
// leaky bucket as a meter, by the time at which the next attempt conforms (ITU-T
// I.371, generic cell rate algorithm): over any time, no more than Burst and
// PerSecond for each second.
//
// It is not safe for concurrent use.
type Rate struct {
	every time.Duration
	slack time.Duration // how long before its time an attempt conforms
	now   time.Duration // the latest it was told
	next  time.Duration // the time of the next, if all came at the rate
}

// NewRate returns one that has seen nothing: a burst may be sent at once.
func NewRate(c RateConfig) *Rate {
	burst := c.Burst
	if burst == 0 {
		burst = max(1, int(c.PerSecond/10))
	}
	every := time.Duration(float64(time.Second) / c.PerSecond)
	return &Rate{every: every, slack: every * time.Duration(burst-1)}
}

// Take reports whether an attempt may be sent at now, which then counts.
func (r *Rate) Take(now time.Duration) bool {
	r.now = max(r.now, now)
	r.next = max(r.next, r.now)
	if r.next-r.now > r.slack {
		return false
	}
	r.next += r.every
	return true
}

// Return takes back an attempt that counted and was not sent after all.
func (r *Rate) Return() { r.next -= r.every }

// Wait returns how long it takes until so many attempts may be sent, from 1, if
// none is meanwhile.
func (r *Rate) Wait(now time.Duration, attempts int) time.Duration {
	r.now = max(r.now, now)
	return max(max(r.next, r.now)-r.now-r.slack+r.every*time.Duration(attempts-1), 0)
}
