package throttle

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/plimsoll-go/plimsoll/stats"
)

// Config is what a [Throttle] goes by. The zero value is the book's.
type Config struct {
	// K is how many attempts are sent for each that is accepted, from 1 to 1e6:
	// the lower, the fewer are refused, and the later a recovery is seen. Zero:
	// [DefaultK].
	K float64
	// Window is how long an attempt counts. Zero: [DefaultWindow].
	Window time.Duration
}

// Defaults of [Config], as in the book.
const (
	DefaultK      = 2
	DefaultWindow = 2 * time.Minute
)

// Floor is how long a [Throttle] holds everything back at most: whatever was
// refused, one attempt a second is sent.
const Floor = time.Second

// Validate reports every fault at once and changes nothing.
func (c Config) Validate() error {
	var faults []error
	if !(c.K == 0 || c.K >= 1 && c.K <= 1e6) {
		faults = append(faults, fmt.Errorf("throttle: K: want 1 to 1e6, or 0 for %d, have %v", DefaultK, c.K))
	}
	if c.Window < 0 {
		faults = append(faults, fmt.Errorf("throttle: Window: want a time of 0 or more, have %v", c.Window))
	}
	return errors.Join(faults...)
}

// Throttle holds back, of the attempts for one destination, the share
//
//	max(0, (requests - K accepts) / (requests + 1))
//
// by what the last Window has seen. Requests are all attempts that have ended,
// those held back included, and accepts are those that the destination took on:
// answered in time, and not refused (Beyer et al., "Site Reliability
// Engineering", 2016, "Handling Overload", "Client-Side Throttling"). What is in
// flight counts as neither: a caller that begins with many at once would else
// hold back nearly all of them, and go on to, though nothing was refused.
//
// Whatever the share, one attempt per [Floor] is sent, without which nobody
// would find out that the destination is back. From there on what is sent
// doubles in about a third of the Window, with a K of 2.
//
// It is not safe for concurrent use.
type Throttle struct {
	k      float64
	recent stats.Recent
	now    time.Duration // the latest that Pass was told
	next   time.Duration // from when on an attempt is sent in any case
	held   uint64
}

// What a throttle counts.
const (
	attempts = iota
	accepts
)

// New returns a throttle that has seen nothing and lets everything pass.
func New(c Config) *Throttle {
	t := new(Throttle)
	t.init(c)
	return t
}

func (t *Throttle) init(c Config) {
	*t = Throttle{k: c.K, recent: stats.Recent{Window: c.Window}}
	if c.K == 0 {
		t.k = DefaultK
	}
	if c.Window == 0 {
		t.recent.Window = DefaultWindow
	}
}

// Pass reports whether an attempt is sent, or how long it takes at most until
// one is sent in any case. How one that is sent has ended is told by
// [Throttle.Accepted] or [Throttle.Refused]. It draws once from r, whatever comes
// of it, so that later draws are the same.
func (t *Throttle) Pass(now time.Duration, r *rand.Rand) (wait time.Duration, ok bool) {
	t.now = max(t.now, now)
	hold, lot := t.Hold(t.now), r.Float64()
	if lot < hold && t.now < t.next {
		t.recent.Count(t.now, attempts)
		t.held++
		return t.next - t.now, false
	}
	t.next = t.now + Floor
	return 0, true
}

// Accepted is the end of an attempt that its destination took on.
func (t *Throttle) Accepted(now time.Duration) {
	t.recent.Count(now, attempts)
	t.recent.Count(now, accepts)
}

// Refused is the end of an attempt that its destination did not take on: it
// refused, failed, or did not answer in time.
func (t *Throttle) Refused(now time.Duration) { t.recent.Count(now, attempts) }

// Hold returns the share of attempts that is held back at now: 0 or less means
// none.
func (t *Throttle) Hold(now time.Duration) float64 {
	n := float64(t.recent.Sum(now, attempts))
	return (n - float64(t.k*float64(t.recent.Sum(now, accepts)))) / (n + 1)
}

// Held returns how many attempts it has held back since it was made.
func (t *Throttle) Held() uint64 { return t.held }
