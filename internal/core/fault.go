package core

import (
	"fmt"
	"time"

	"github.com/plimsoll-go/plimsoll/queue"
)

// Fault is a value of a configuration, as users write it, that is of no use
// by itself or beside the others.
type Fault struct {
	Key    string // the field
	Wanted string
	Got    any
}

// Faults returns every fault of what decides about waiting.
func Faults(c Config) []Fault {
	var all []Fault
	want := func(ok bool, key, wanted string, got any) {
		if !ok {
			all = append(all, Fault{key, wanted, got})
		}
	}
	if c.CoDel != nil {
		if err := c.CoDel.Validate(); err != nil {
			want(false, "CoDel", "what CoDel can go by", err)
		}
		// Newest first, fresh waiters hide the standing queue from CoDel; an
		// order that CoDel itself switched would flip with every dequeue.
		want(c.Order == queue.OldestFirst, "CoDel", "none, or Order oldest_first, in which it can see a queue that stands", c.Order)
	}
	if err := c.Shares.Validate(); err != nil {
		want(false, "Shares", "percents by criticality", err)
	}
	want(!c.Shares.Any() || c.MaxWait >= 0 && c.MaxQueue >= 0, "Shares", "none, or a queue: without one nobody waits for a share", c.Shares)
	r := Resolve(Config{Limit: c.Limit, MaxWait: c.MaxWait})
	ladderFaults(c, r.MaxWait, want)
	want(c.MaxQueueBytes >= 0, "MaxQueueBytes", "0 or more", c.MaxQueueBytes)
	want(c.StandingWait >= 0 && c.StandingWait <= r.MaxWait, "StandingWait", "a time of 0 or more that is no longer than MaxWait", c.StandingWait)
	want(c.StandingWait <= 0 || c.Standing >= 0, "StandingWait", "none, or a Standing that is not negative, by which the queue stands", c.StandingWait)
	want(c.PromoteAfter >= 0 && (c.PromoteAfter == 0 || c.PromoteAfter < r.MaxWait), "PromoteAfter", "a time of 0 or more that is shorter than MaxWait", c.PromoteAfter)
	want(c.DeadLetterAfter >= 0 && c.DeadLetterAfter <= r.MaxWait, "DeadLetterAfter", "a time of 0 or more that is no longer than MaxWait", c.DeadLetterAfter)
	return all
}

// ladderFaults finds what is wrong with the tiers, and those that would never go
// on because nobody waits for so long.
func ladderFaults(c Config, wait time.Duration, want func(ok bool, key, wanted string, got any)) {
	if c.Ladder == nil {
		return
	}
	for _, f := range c.Ladder.Faults() {
		want(false, "Ladder."+f.Place(), f.Wanted, f.Got)
	}
	if !c.Ladder.ByDelay() {
		return
	}
	want(wait > 0 && c.MaxQueue >= 0, "Ladder", "none that goes by the queue's delay, or a queue", c.Ladder.HighestOn())
	if c.DeadLetterAfter > 0 {
		wait = min(wait, c.DeadLetterAfter)
	}
	on := c.Ladder.HighestOn()
	want(wait <= 0 || on < wait, "Ladder", fmt.Sprintf("tiers that go on below %v, the longest that anybody waits", wait), on)
}
