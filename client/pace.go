package client

import (
	"container/list"
	"context"
	"time"

	"github.com/plimsoll-go/plimsoll/breaker"
	"github.com/plimsoll-go/plimsoll/class"
	"github.com/plimsoll-go/plimsoll/throttle"
)

// pace gives attempts their turn at the rate, in the order in which they came.
// The client's lock guards it.
type pace struct {
	client  *Client
	rate    *throttle.Rate
	most    time.Duration // how long one waits at most
	waiters *list.List    // of chan struct{}, closed when it is its turn
	timer   *time.Timer
}

func newPace(c *Client, config throttle.RateConfig, most time.Duration) *pace {
	return &pace{client: c, rate: throttle.NewRate(config), most: most, waiters: list.New()}
}

// take has an attempt's turn at once, or puts it in line, or says that it would
// wait for longer than it may.
func (p *pace) take(now, most time.Duration) (wait time.Duration, place *list.Element, ok bool) {
	if p.atOnce(now) {
		return 0, nil, true
	}
	if wait = p.rate.Wait(now, p.waiters.Len()+1); wait > most {
		return wait, nil, false
	}
	place = p.waiters.PushBack(make(chan struct{}))
	if p.waiters.Len() == 1 {
		p.arm(now)
	}
	return wait, place, false
}

// atOnce has an attempt's turn at once, or reports that it would have to wait.
func (p *pace) atOnce(now time.Duration) bool { return p.waiters.Len() == 0 && p.rate.Take(now) }

// back is a turn that was of no use: it goes to the next.
func (p *pace) back(now time.Duration) {
	p.rate.Return()
	p.grant(now)
}

// grant gives their turn to those for whom it is time.
func (p *pace) grant(now time.Duration) {
	for p.waiters.Len() > 0 && p.rate.Take(now) {
		close(p.waiters.Remove(p.waiters.Front()).(chan struct{}))
	}
	if p.waiters.Len() > 0 {
		p.arm(now)
	}
}

func (p *pace) arm(now time.Duration) {
	wait := p.rate.Wait(now, 1)
	if p.timer == nil {
		p.timer = time.AfterFunc(wait, p.tick)
	} else {
		p.timer.Reset(wait)
	}
}

func (p *pace) tick() {
	now := p.client.now()
	p.client.mu.Lock()
	defer p.client.mu.Unlock()
	p.grant(now)
}

// admit has an attempt's turn at the rate, and then a place for it, or says why
// there is none. One that would wait for its turn longer than most does not.
func (c *Client) admit(ctx context.Context, of class.Criticality, most time.Duration) (t breaker.Ticket, wait time.Duration, why Reason, ok bool) {
	if c.pace == nil {
		return c.pass(of)
	}
	if wait, ok = c.turn(ctx, min(most, c.pace.most)); !ok {
		return t, wait, RateLimited, false
	}
	if t, wait, why, ok = c.pass(of); !ok {
		c.unturn()
	}
	return t, wait, why, ok
}

// turn waits for a turn at the rate, and reports whether it has come.
func (c *Client) turn(ctx context.Context, most time.Duration) (wait time.Duration, ok bool) {
	now := c.now()
	c.mu.Lock()
	wait, place, ok := c.pace.take(now, most)
	c.mu.Unlock()
	if place == nil {
		return wait, ok
	}
	granted := place.Value.(chan struct{})
	select {
	case <-granted:
		return 0, true
	case <-ctx.Done():
	}
	c.mu.Lock()
	select {
	case <-granted: // as its caller left: it goes to the next
		c.mu.Unlock()
		c.unturn()
	default:
		c.pace.waiters.Remove(place)
		c.mu.Unlock()
	}
	return 0, false
}

// unturn gives a turn back that was of no use.
func (c *Client) unturn() {
	now := c.now()
	c.mu.Lock()
	defer c.mu.Unlock()
	c.pace.back(now)
}
