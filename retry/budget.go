package retry

import (
	"errors"
	"fmt"
	"math"
	"time"

	"github.com/plimsoll-go/plimsoll/stats"
)

// BudgetConfig is what a [Budget] goes by. The zero value is a share of a tenth
// and no reserve.
type BudgetConfig struct {
	// Share is how many retries there may be for each request, at most 100.
	// Zero: [DefaultShare]. Negative: none, the reserve is all.
	Share float64
	// Reserve is how many retries a second there may be on top, so that callers
	// of few requests may retry at all, at most 1e9. Zero: none. It counts for
	// each budget: a thousand clients with 10 each are 10,000 a second.
	Reserve float64
}

// DefaultShare is what [BudgetConfig].Share is where it is 0.
const DefaultShare = 0.1

// BudgetWindow is how long a request counts, as in Finagle.
const BudgetWindow = 10 * time.Second

// Validate reports every fault at once and changes nothing.
func (c BudgetConfig) Validate() error {
	var faults []error
	if math.IsNaN(c.Share) || c.Share > 100 {
		faults = append(faults, fmt.Errorf("retry: Share: want retries per request, at most 100, have %v", c.Share))
	}
	if !(c.Reserve >= 0 && c.Reserve <= 1e9) {
		faults = append(faults, fmt.Errorf("retry: Reserve: want retries a second, from 0 to 1e9, have %v", c.Reserve))
	}
	return errors.Join(faults...)
}

// Budget bounds the retries of all callers of a destination together: over the
// last ten seconds or so, no more than a share of their requests and a reserve.
// A retry counts when it is decided on, not when it is sent, so that those who
// wait out a long backoff count too; and as requests are forgotten after ten
// seconds, a calm day saves up nothing for a storm. (Beyer et al., "Site
// Reliability Engineering", 2016, "Handling Overload": a share of 10 %;
// Finagle's RetryBudget: 20 % and 10 a second, over ten seconds.)
//
// It is not safe for concurrent use.
type Budget struct {
	share, reserve float64
	recent         stats.Recent
	refused        uint64
}

// What a budget counts.
const (
	requests = iota
	retries
)

// NewBudget returns a budget that has seen nothing: its reserve is all it has.
func NewBudget(c BudgetConfig) *Budget {
	b := &Budget{share: max(c.Share, 0), recent: stats.Recent{Window: BudgetWindow}}
	if c.Share == 0 {
		b.share = DefaultShare
	}
	b.reserve = float64(c.Reserve * BudgetWindow.Seconds())
	return b
}

// Request counts a new request, which is no retry.
func (b *Budget) Request(now time.Duration) { b.recent.Count(now, requests) }

// Retry reports whether there may be one more retry, which then counts.
func (b *Budget) Retry(now time.Duration) bool {
	if !b.covers(now) {
		b.refused++
		return false
	}
	b.recent.Count(now, retries)
	return true
}

func (b *Budget) covers(now time.Duration) bool {
	return float64(b.recent.Sum(now, retries)+1) <= b.most(now)
}

func (b *Budget) most(now time.Duration) float64 {
	const rounding = 1e-9 // of a share that is no sum of powers of two
	return float64(b.share*float64(b.recent.Sum(now, requests))) + b.reserve + rounding
}

// Balance returns how many retries there may be at now, 0 or more.
func (b *Budget) Balance(now time.Duration) float64 {
	return max(math.Floor(b.most(now))-float64(b.recent.Sum(now, retries)), 0)
}

// Refused returns how many retries it has refused since it was made.
func (b *Budget) Refused() uint64 { return b.refused }
