package sim

import (
	"math"
	"time"
)

// Budget bounds the retries of a kind's callers together: over the last ten
// seconds or so, no more than a share of their requests and a reserve. A retry
// counts when it is decided on, not when it is sent, so that those who wait out
// a long backoff count too; and as requests are forgotten after ten seconds, a
// calm day saves up nothing for a storm. What the budget refuses loses the
// request. (Google's SRE book, "Handling Overload": a share of 10 %; Finagle's
// RetryBudget: 20 % and 10 a second, over ten seconds.)
type Budget struct {
	// Share is how many retries there may be for each request. Zero: 0.1.
	// Negative: none, the reserve is all.
	Share float64
	// Reserve is how many retries a second there may be on top, so that a kind
	// of few requests may retry at all. Zero: none.
	Reserve float64
}

// DefaultShare is what [Budget].Share is where it is 0.
const DefaultShare = 0.1

func (b *Budget) validate(where string, f *faults) {
	f.want(!math.IsNaN(b.Share) && b.Share <= 100, where+".Share", "want retries per request, at most 100, have %v", b.Share)
	f.want(b.Reserve >= 0 && b.Reserve <= 1e9, where+".Reserve", "want retries a second, from 0 to 1e9, have %v", b.Reserve)
}

// budgetWindow is how long a request counts, as in Finagle.
const budgetWindow = 10 * time.Second

// budget is a budget at work. It counts requests and retries.
type budget struct {
	share, reserve float64
	recent         recent
}

const (
	requests = iota
	retries
)

func newBudget(of *Budget) *budget {
	b := &budget{share: max(of.Share, 0), recent: newRecent(budgetWindow)}
	if of.Share == 0 {
		b.share = DefaultShare
	}
	b.reserve = float64(of.Reserve * budgetWindow.Seconds())
	return b
}

// request is a new request.
func (b *budget) request(now time.Duration) { b.recent.count(now, requests) }

// retry reports whether there may be one more retry, which then counts.
func (b *budget) retry(now time.Duration) bool {
	b.recent.move(now)
	const rounding = 1e-9 // of a share that is no sum of powers of two
	most := float64(b.share*float64(b.recent.sum[requests])) + b.reserve + rounding
	if float64(b.recent.sum[retries]+1) > most {
		return false
	}
	b.recent.count(now, retries)
	return true
}
