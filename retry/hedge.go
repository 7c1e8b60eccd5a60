package retry

import (
	"errors"
	"fmt"
	"time"

	"github.com/plimsoll-go/plimsoll/class"
	"github.com/plimsoll-go/plimsoll/stats"
)

// HedgeConfig is when a read that takes long gets another attempt beside it. The
// zero value is one more, after the 95th percentile of what reads take.
type HedgeConfig struct {
	// After is how long an attempt may take until there is another beside it.
	// Zero: the Quantile of what attempts take, once that is known.
	After time.Duration
	// Quantile of what attempts take, above 0 and below 1. Zero:
	// [DefaultHedgeQuantile].
	Quantile float64
	// Extra is how many attempts of a call there may be beside others. They
	// count in [Policy].Attempts as well. Zero: one.
	Extra int
	// Quiet is for how long there is no other attempt after the destination has
	// said that it has too much to do; or for as long as it has asked, up to
	// [DefaultMaxPushback], if that is longer. Zero: [DefaultHedgeQuiet].
	Quiet time.Duration
}

// Defaults of [HedgeConfig]: the quantile is the paper's.
const (
	DefaultHedgeQuantile = 0.95
	DefaultHedgeQuiet    = time.Second
)

// HedgeWindow is how long it takes until what an attempt took may be forgotten;
// after twice as long it is.
const HedgeWindow = 30 * time.Second

// Validate reports every fault at once and changes nothing.
func (c HedgeConfig) Validate() error {
	var faults []error
	want := func(ok bool, field, wanted string, got any) {
		if !ok {
			faults = append(faults, fmt.Errorf("retry: Hedge.%s: want %s, have %v", field, wanted, got))
		}
	}
	want(c.After >= 0, "After", "a time of 0 or more", c.After)
	want(c.Quantile >= 0 && c.Quantile < 1, "Quantile", "a share below 1, or 0", c.Quantile)
	want(c.Extra >= 0, "Extra", "0 or more", c.Extra)
	want(c.Quiet >= 0, "Quiet", "a time of 0 or more", c.Quiet)
	return errors.Join(faults...)
}

// Hedge decides when an attempt of a read has taken so long that another one
// beside it is likely to be sooner (Dean & Barroso, "The Tail at Scale", 2013,
// "Hedged requests"). It is for one destination. What the extra attempts cost is
// bounded by the [Budget] of its retries, of which each is one; and as they help
// only while there is room, there are none while it says that there is not.
//
// It is not safe for concurrent use.
type Hedge struct {
	config HedgeConfig
	now    time.Duration // the latest it was told
	quiet  time.Duration // until when there is none
	begun  uint64

	times [2]stats.Histogram // what attempts took, of this window and the last
	since time.Duration      // when this window began
	delay time.Duration      // the quantile, as of the last look; 0: not known
	fresh int                // attempts since then
}

// NewHedge returns one that has seen nothing.
func NewHedge(c HedgeConfig) *Hedge {
	if c.Quantile == 0 {
		c.Quantile = DefaultHedgeQuantile
	}
	if c.Extra == 0 {
		c.Extra = 1
	}
	if c.Quiet == 0 {
		c.Quiet = DefaultHedgeQuiet
	}
	return &Hedge{config: c}
}

// Took is an attempt that has succeeded after d, or that was cancelled after d,
// when another had. One that lost counts with what it had taken: as that was
// longer than the delay, the delay is not drawn down by counting who won.
func (h *Hedge) Took(now, d time.Duration) {
	h.advance(now)
	h.times[0].Add(d)
	if h.fresh++; h.fresh >= lookEvery {
		h.look()
	}
}

// lookEvery is after how many attempts the quantile is found anew.
const lookEvery = 32

// slower is how many attempts have to have taken longer than a quantile for it
// to mean something: a hundred for the 95th percentile, of which five have.
const slower = 5

func (h *Hedge) look() {
	all := h.times[0]
	all.Merge(&h.times[1])
	h.fresh, h.delay = 0, 0
	const rounding = 1e-9 // of a share that is no sum of powers of two
	if float64(float64(all.Count())*(1-h.config.Quantile))+rounding >= slower {
		h.delay = all.Quantile(h.config.Quantile)
	}
}

func (h *Hedge) advance(now time.Duration) {
	h.now = max(h.now, now)
	switch passed := h.now - h.since; {
	case passed < HedgeWindow:
		return
	case passed < 2*HedgeWindow:
		h.times[1] = h.times[0]
	default:
		h.times[1].Reset()
	}
	h.times[0].Reset()
	h.since = h.now
	h.look()
}

// Overloaded is an attempt of any kind that the destination has refused as it has
// too much to do, with the pause that it has asked for; negative counts as 0.
func (h *Hedge) Overloaded(now, pushback time.Duration) {
	h.now = max(h.now, now)
	h.quiet = max(h.quiet, class.At(h.now, max(min(pushback, DefaultMaxPushback), h.config.Quiet)))
}

// Delay is how long an attempt may take until [Policy.Hedge] is to be asked about
// another. It is not known, unless it is given, until enough attempts have ended.
func (h *Hedge) Delay(now time.Duration) (d time.Duration, known bool) {
	if h.config.After > 0 {
		return h.config.After, true
	}
	h.advance(now)
	return h.delay, h.delay > 0
}

// Begun returns how many attempts were begun beside others.
func (h *Hedge) Begun() uint64 { return h.begun }

// Slow is a call of which no attempt has ended for the [Hedge.Delay].
type Slow struct {
	// Attempts is how many it has had, and Beside how many of them were begun
	// beside another.
	Attempts, Beside int
	// Stopped says that one of its attempts has been refused for overload, was
	// given a pushback, or was retried further down.
	Stopped bool
	// Unwell says that the destination's breaker is not closed.
	Unwell bool
	// Deadline is when the caller stops waiting, and Need what an attempt takes
	// at the least, as in [Failed].
	Deadline, Need time.Duration
}

// Hedge reports whether a call that takes long may have another attempt at once,
// beside the others. A nil budget has no bound. The call is a read that may be
// made several times at a time. Nothing is spent: what comes between may still
// keep it from being sent. [Hedge.Begin] spends it.
func (p *Policy) Hedge(now time.Duration, s Slow, h *Hedge, b *Budget) bool {
	h.advance(now)
	if s.Stopped || s.Unwell || s.Beside >= h.config.Extra || s.Attempts >= p.MostAttempts() || h.now < h.quiet {
		return false
	}
	if left := class.Until(now, s.Deadline); left != class.Forever && class.Left(left, 0, s.Need) == 0 {
		return false
	}
	if b != nil && !b.covers(now) {
		b.refused++
		return false
	}
	return true
}

// Begin is an attempt that [Policy.Hedge] has allowed and that is sent: the
// budget, if there is one, has a retry less.
func (h *Hedge) Begin(now time.Duration, b *Budget) {
	h.begun++
	if b != nil {
		b.recent.Count(now, retries)
	}
}
