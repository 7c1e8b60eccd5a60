package core

import (
	"slices"
	"time"

	"github.com/plimsoll-go/plimsoll/class"
	"github.com/plimsoll-go/plimsoll/ladder"
	"github.com/plimsoll-go/plimsoll/limit"
	"github.com/plimsoll-go/plimsoll/stats"
)

// The oracle's half that has to do with time: windows, ramps, expiry.

func (o *oracle) wanted() time.Duration {
	at := Never
	for _, w := range o.wait {
		if w.item.Leave != Never {
			at = min(at, w.item.Leave+1)
		}
	}
	if o.active {
		at = min(at, o.due)
	}
	if o.ramp > 0 {
		step := max(o.ramp/50, time.Millisecond)
		at = min(at, o.recovered+((o.stepped-o.recovered)/step+1)*step)
	}
	if o.ladder != nil {
		at = min(at, o.ladder.Next())
	}
	return at
}

func (o *oracle) advance(now time.Duration) {
	o.tick(now)
	for {
		var first *entry
		for _, w := range o.wait {
			if w.item.Leave < o.now && (first == nil || w.item.Leave < first.item.Leave) {
				first = w
			}
		}
		if first == nil {
			break
		}
		o.unfile(first)
		o.expire(first)
	}
	if o.active && o.now >= o.due {
		o.endWindow()
	}
	o.stepped = o.now
	if o.ramp > 0 && o.now-o.recovered >= o.ramp {
		o.ramp = 0
	}
	o.grant()
}

func (o *oracle) startWindow() {
	o.active = true
	o.start, o.due = o.now, o.now+max(o.next.MinTime, time.Millisecond)
	o.arrived, o.completed, o.good, o.lost, o.held, o.standing = 0, 0, 0, 0, 0, 0
	o.left = nil
	o.samples, o.contended, o.peak, o.turnedAway = nil, nil, o.inFlight, 0
	o.budgets.Reset()
}

func (o *oracle) endWindow() {
	end := o.start + max(o.next.MaxTime, o.next.MinTime)
	if o.completed < o.next.MinSamples && o.now < end && (o.arrived > 0 || o.inFlight > 0) {
		o.due = min(end, o.now+max(o.next.MinTime/4, time.Millisecond))
		return
	}
	if o.arrived == 0 && o.completed == 0 && o.inFlight == 0 && len(o.wait) == 0 {
		o.active, o.over, o.trouble, o.pace = false, false, false, 0
		return
	}
	o.learn()
	o.trouble = o.ladder != nil && o.turnedAway > 0
	if o.ladder != nil && o.turnedAway > 0 && o.off() == 0 {
		o.over, o.shed = true, o.now
	} else if o.ladder != nil && o.now-o.shed >= time.Second {
		o.over = false
	}
	o.paceNow()
	if o.peak >= o.slots() && o.ramp == 0 {
		o.peak = max(o.peak, o.next.Limit)
	}
	o.setNext(o.cfg.Limit.Fold(limit.Window{
		Start: o.start, End: o.now, Limit: o.next.Limit, MaxInFlight: o.peak,
		Standing: o.standing, Depth: len(o.wait), Refused: o.turnedAway,
		Completed: o.completed, Good: o.good, Lost: o.lost,
		Budget:      o.budgets.Quantile(0.5),
		Uncontended: histogram(o.samples), Waited: histogram(o.contended), Left: histogram(o.left), Tiers: o.on(),
	}))
	o.startWindow()
}

func (o *oracle) setNext(n limit.Next) {
	if n.Limit != o.next.Limit {
		o.epoch++
	}
	o.next = n
}

func (o *oracle) learn() {
	length := (o.now - o.start) / time.Millisecond
	if o.completed > 0 {
		mean := o.held / time.Duration(o.completed)
		if o.mean != 0 {
			mean = o.mean + (mean-o.mean)/max((o.now-o.start+200*time.Millisecond)/time.Millisecond, 1)*length
		}
		o.mean = max(mean, 1)
	}
	if o.budgets.Count() > 0 {
		o.budget = o.budgets.Quantile(0.5)
	}
	h := histogram(slices.Concat(o.generations[:]...))
	switch {
	case h.Count() >= 50:
		o.kept = false
		_, o.quantile = stats.BucketBounds(stats.BucketOf(h.Quantile(0.98)))
	case !o.kept:
		o.quantile = 0
	}
	if o.now-o.turned >= 5*time.Second {
		o.generations[1], o.generations[0], o.turned = o.generations[0], nil, o.now
		o.kept = false
	}
	if o.stale {
		o.generations, o.turned = [2][]time.Duration{}, o.now
		o.stale, o.kept = false, true
	}
}

func (o *oracle) configure(now time.Duration, c Config) {
	o.tick(now)
	if c.PromoteAfter != o.cfg.PromoteAfter {
		for _, e := range o.wait {
			if c.PromoteAfter > 0 && o.lane(e) < class.Count-1 {
				e.since = o.now
			}
		}
	}
	other := c.Limit != o.cfg.Limit
	o.cfg, o.stepped = c, o.now
	switch {
	case c.Ladder == nil:
		o.ladder, o.trouble, o.over, o.pace = nil, false, false, 0
	case o.ladder == nil:
		o.ladder = ladder.New(*c.Ladder)
	default:
		o.ladder.Configure(o.now, *c.Ladder)
	}
	if other {
		o.setNext(c.Limit.Start())
		if o.active {
			o.startWindow()
		}
	}
	o.places = o.bound()
	if !c.Shares.Any() {
		o.lent.credit = [4]int{}
	}
	o.grant()
}

func histogram(of []time.Duration) *stats.Histogram {
	h := new(stats.Histogram)
	for _, d := range of {
		h.Add(d)
	}
	return h
}
