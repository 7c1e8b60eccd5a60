package core

import (
	"time"

	"github.com/plimsoll-go/plimsoll/ladder"
)

// The oracle's half that has to do with tiers. It asks the same ladder, whose own
// oracle is beside it; what follows from it is its own.

// off is how many tiers may still go on because of the queue.
func (o *oracle) off() int {
	if o.ladder == nil || !o.cfg.Ladder.ByDelay() || o.cfg.MaxWait == 0 || o.cfg.MaxQueue == 0 {
		return 0
	}
	return o.ladder.Left()
}

// stands reports whether the queue stands: with tiers, only in an overload that
// they do not mend.
func (o *oracle) stands() bool {
	byDelay := o.ladder != nil && o.cfg.Ladder.ByDelay() && o.cfg.MaxWait > 0 && o.cfg.MaxQueue > 0
	if byDelay && (!o.over || o.off() > 0) {
		return false
	}
	return len(o.wait) > 0 && o.now-o.since >= 100*time.Millisecond
}

func (o *oracle) on() uint32 {
	if o.ladder == nil {
		return 0
	}
	return uint32(o.ladder.Plan().On())
}

// observe ends every event.
func (o *oracle) observe() {
	if o.ladder == nil {
		return
	}
	delay := o.drain(len(o.wait))
	if o.trouble || len(o.wait) > 0 && len(o.wait) >= o.cfg.MaxQueue {
		for _, t := range o.cfg.Ladder.Tiers {
			delay = max(delay, t.On+1)
		}
	}
	o.tiers(o.ladder.Observe(o.now, delay))
}

func (o *oracle) tiers(_ ladder.Transition, changed bool) {
	if changed {
		o.epoch++
		o.stale = true
	}
}

// paceNow is what the window that ends says of how fast the queue drains.
func (o *oracle) paceNow() {
	if o.ladder == nil || o.cfg.ServiceTime > 0 || o.completed == 0 || o.standing < o.now-o.start-o.standing {
		o.pace = 0
		return
	}
	last := max((o.now-o.start)/time.Duration(o.completed), 1)
	if o.pace > 0 {
		length := (o.now - o.start) / time.Millisecond
		last = max(o.pace+(last-o.pace)/max((o.now-o.start+200*time.Millisecond)/time.Millisecond, 1)*length, 1)
	}
	o.pace = last
}

func (o *oracle) override(now time.Duration, i int, m ladder.Mode) {
	o.tick(now)
	o.tiers(o.ladder.Override(o.now, i, m))
	o.observe()
}

func (o *oracle) fail(now time.Duration, i int, failing bool) {
	o.tick(now)
	o.tiers(o.ladder.Fail(o.now, i, failing))
	o.observe()
}

func (o *oracle) supply(now time.Duration, signal float64) {
	o.tick(now)
	o.tiers(o.ladder.Supply(o.now, signal))
	o.observe()
}
