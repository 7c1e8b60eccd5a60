package sim

import (
	"math/rand/v2"
	"time"

	"github.com/plimsoll-go/plimsoll/breaker"
	"github.com/plimsoll-go/plimsoll/internal/core"
	"github.com/plimsoll-go/plimsoll/retry"
	"github.com/plimsoll-go/plimsoll/throttle"
)

// guards stand between the callers of a kind and their station, and are shared
// by them. What they decide does not touch what other random numbers decide.
type guards struct {
	budget   *retry.Budget
	throttle *throttle.Throttle
	breaker  *breaker.Breaker
	random   *rand.Rand // of the throttle

	refusalsFail bool
}

// newGuards are those that a client has; nil if it has none.
func newGuards(c *Client, seed uint64, name string) *guards {
	if c.Budget == nil && c.Throttle == nil && c.Breaker == nil {
		return nil
	}
	g := &guards{random: stream(seed, "throttle/"+name), refusalsFail: c.RefusalsFail}
	if c.Budget != nil {
		g.budget = retry.NewBudget(*c.Budget)
	}
	if c.Throttle != nil {
		g.throttle = throttle.New(*c.Throttle)
	}
	if c.Breaker != nil {
		g.breaker = breaker.New(*c.Breaker)
	}
	return g
}

// request is a new request.
func (g *guards) request(now time.Duration) {
	if g != nil && g.budget != nil {
		g.budget.Request(now)
	}
}

// pass reports whether an attempt is sent: the breaker is asked last, so that
// each probe that it lets pass is sent and comes to an end. The ticket is the
// breaker's, and wait how long it will hold back what it has held.
func (g *guards) pass(now time.Duration) (t breaker.Ticket, wait time.Duration, ok bool) {
	if g == nil {
		return t, 0, true
	}
	if g.throttle != nil {
		if _, ok := g.throttle.Pass(now, g.random); !ok {
			return t, 0, false
		}
	}
	if g.breaker != nil {
		return g.breaker.Pass(now)
	}
	return t, 0, true
}

// heard is what became of an attempt that was sent.
func (g *guards) heard(now time.Duration, t breaker.Ticket, o core.Outcome) {
	if g == nil {
		return
	}
	switch {
	case g.throttle == nil:
	case o == core.Success:
		g.throttle.Accepted(now)
	default:
		g.throttle.Refused(now)
	}
	if g.breaker != nil {
		if g.refusalsFail && o == core.Overloaded {
			o = core.Failed
		}
		g.breaker.Done(now, t, verdict(o))
	}
}

// retries is what bounds the retries; nil if nothing does.
func (g *guards) retries() *retry.Budget {
	if g == nil {
		return nil
	}
	return g.budget
}
