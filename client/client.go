package client

import (
	"math/rand/v2"
	"sync"
	"time"

	"github.com/plimsoll-go/plimsoll/breaker"
	"github.com/plimsoll-go/plimsoll/class"
	"github.com/plimsoll-go/plimsoll/retry"
	"github.com/plimsoll-go/plimsoll/throttle"
)

// Client makes calls to one destination. It is safe for concurrent use.
type Client struct {
	policy   retry.Policy
	timeout  time.Duration
	margin   time.Duration
	classify func(error) Answer
	epoch    time.Time

	mu       sync.Mutex // guards all below
	random   *rand.Rand
	budget   *retry.Budget
	hedge    *retry.Hedge      // nil: none
	throttle *throttle.Classes // nil: none
	breaker  *breaker.Classes  // nil: none
	pace     *pace             // nil: none
	bulkhead bulkhead
	requests uint64
	attempts uint64
	refused  [NumReasons]uint64
}

// New returns a client for one destination, or every fault of the configuration.
func New(c Config) (*Client, error) {
	if err := c.Validate(); err != nil {
		return nil, err
	}
	made := &Client{
		policy: c.Retry, timeout: c.Timeout, margin: c.Margin, classify: c.Classify, epoch: time.Now(),
		random: rand.New(rand.NewPCG(rand.Uint64(), rand.Uint64())),
	}
	if made.classify == nil {
		made.classify = Classify
	}
	budget := retry.BudgetConfig{Reserve: 1}
	if c.Budget != nil {
		budget = *c.Budget
	}
	made.budget = retry.NewBudget(budget)
	if c.Hedge != nil {
		made.hedge = retry.NewHedge(*c.Hedge)
	}
	if c.Throttle != nil {
		made.throttle = throttle.NewClasses(*c.Throttle)
	}
	if c.Breaker != nil {
		made.breaker = breaker.NewClasses(*c.Breaker)
	}
	if c.Rate != nil {
		made.pace = newPace(made, *c.Rate, c.RateWait)
	}
	made.bulkhead.most = c.MaxInFlight
	for criticality, n := range c.MaxOf {
		made.bulkhead.mostOf[criticality.Lane()] = n
	}
	return made, nil
}

// Hedges reports whether calls with [Op].Hedge may have attempts beside one
// another.
func (c *Client) Hedges() bool { return c.hedge != nil }

func (c *Client) now() time.Duration { return time.Since(c.epoch) }

// request counts a call.
func (c *Client) request() {
	now := c.now()
	c.mu.Lock()
	defer c.mu.Unlock()
	c.requests++
	c.budget.Request(now)
}

// pass takes a place for an attempt, or says why there is none, and for how
// long. Whoever has one gives it back with end.
func (c *Client) pass(of class.Criticality) (t breaker.Ticket, wait time.Duration, why Reason, ok bool) {
	now := c.now()
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.passLocked(now, of)
}

func (c *Client) passLocked(now time.Duration, of class.Criticality) (t breaker.Ticket, wait time.Duration, why Reason, ok bool) {
	if c.breaker != nil {
		if t, wait, ok = c.breaker.Of(of).Pass(now); !ok {
			return t, wait, BreakerOpen, false
		}
	}
	if !c.bulkhead.enter(of.Lane()) {
		c.unsentLocked(now, of, t)
		return t, 0, NoPlace, false
	}
	// Last, so that it holds back nothing that stays here in any case.
	if c.throttle != nil {
		if wait, ok = c.throttle.Of(of).Pass(now, c.random); !ok {
			c.bulkhead.leave(of.Lane())
			c.unsentLocked(now, of, t)
			return t, wait, Throttled, false
		}
	}
	c.attempts++
	return t, 0, 0, true
}

// unsentLocked tells the breaker of an attempt that it let pass and that is not
// sent: a probe that is not sent says nothing.
func (c *Client) unsentLocked(now time.Duration, of class.Criticality, t breaker.Ticket) {
	if c.breaker != nil {
		c.breaker.Of(of).Done(now, t, breaker.Ignored)
	}
}

// end gives the place of an attempt back and counts what came of it.
func (c *Client) end(of class.Criticality, t breaker.Ticket, a Answer) {
	now := c.now()
	c.mu.Lock()
	defer c.mu.Unlock()
	c.bulkhead.leave(of.Lane())
	c.tellLocked(now, of, t, a)
}

// tell counts what came of an attempt that keeps its place.
func (c *Client) tell(of class.Criticality, t breaker.Ticket, a Answer) {
	now := c.now()
	c.mu.Lock()
	defer c.mu.Unlock()
	c.tellLocked(now, of, t, a)
}

// leave gives the place of an attempt back.
func (c *Client) leave(of class.Criticality) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.bulkhead.leave(of.Lane())
}

func (c *Client) tellLocked(now time.Duration, of class.Criticality, t breaker.Ticket, a Answer) {
	switch {
	case c.throttle == nil, a.unseen():
	case a.accepted():
		c.throttle.Of(of).Accepted(now)
	default:
		c.throttle.Of(of).Refused(now)
	}
	if c.breaker != nil {
		c.breaker.Of(of).Done(now, t, a.Verdict)
	}
	if c.hedge != nil && (a.Overloaded || a.Refused) {
		c.hedge.Overloaded(now, a.Pushback)
	}
}

// next decides what follows a failed attempt.
func (c *Client) next(f retry.Failed, left time.Duration) (time.Duration, retry.Reason) {
	now := c.now()
	f.Deadline = class.At(now, left)
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.policy.Next(now, f, c.budget, c.random)
}

// failed counts a call that has not succeeded.
func (c *Client) failed(e *Error) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.refused[e.Reason]++
	return e
}

// Shut reports whether the breaker lets no call of a criticality pass now, and
// for how long, for those who have to get ready for one: to refuse costs nothing
// before. A call that it finds so counts as refused.
func (c *Client) Shut(of class.Criticality) (wait time.Duration, shut bool) {
	if c.breaker == nil {
		return 0, false
	}
	now := c.now()
	c.mu.Lock()
	defer c.mu.Unlock()
	if wait, shut = c.breaker.Of(of).Shut(now); shut {
		c.refused[BreakerOpen]++
	}
	return wait, shut
}

// Status is what can be seen of a [Client]. Its counters only grow.
type Status struct {
	Requests, Attempts uint64 // calls, and the attempts that were sent for them
	Hedges             uint64 // attempts beside another that were decided on

	InFlight int                // attempts that hold a place
	Waiting  int                // attempts that wait for their turn at the rate
	Refused  [NumReasons]uint64 // by [Reason]: calls that ended without success, by why there was no further attempt
	Balance  float64            // retries that the budget has left
	// Breakers is indexed by [class.Criticality.Lane]; all are closed where there
	// is no Breaker.
	Breakers [class.Count]breaker.Status
}

// Status returns what can be seen of it now.
func (c *Client) Status() Status {
	now := c.now()
	c.mu.Lock()
	defer c.mu.Unlock()
	s := Status{Requests: c.requests, Attempts: c.attempts, InFlight: c.bulkhead.all, Refused: c.refused, Balance: c.budget.Balance(now)}
	if c.pace != nil {
		s.Waiting = c.pace.waiters.Len()
	}
	if c.hedge != nil {
		s.Hedges = c.hedge.Begun()
	}
	if c.breaker != nil {
		for lane := range s.Breakers {
			s.Breakers[lane] = c.breaker.Of(class.FromLane(lane)).Status(now)
		}
	}
	return s
}
