package sim

import "github.com/plimsoll-go/plimsoll/retry"

// Budget bounds the retries of a kind's callers together. What it refuses loses
// the request.
type Budget = retry.BudgetConfig

// Jitter is how callers spread their waiting before another attempt.
type Jitter = retry.Jitter

// The ways to spread it.
const (
	FullJitter = retry.FullJitter
	NoJitter   = retry.NoJitter
)

// policy is how a client tries again.
func (c *Client) policy() retry.Policy {
	p := retry.Policy{
		Attempts:    max(c.Attempts, 1),
		Backoff:     retry.Backoff{Base: c.Backoff, Max: c.MaxBackoff, Jitter: c.Jitter},
		MaxPushback: -1,
	}
	if c.MaxBackoff == 0 {
		p.Backoff.Max = longest
	}
	if c.HonourRetryAfter {
		p.MaxPushback = longest
	}
	return p
}
