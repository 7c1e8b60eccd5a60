package sim

import "math"

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
	f.want(false, where, "budgets are not played yet")
}
