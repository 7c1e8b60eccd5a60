package config

import (
	"time"

	"github.com/plimsoll-go/plimsoll"
	"github.com/plimsoll-go/plimsoll/limit"
	"github.com/plimsoll-go/plimsoll/queue"
)

// Unbounded is the MaxQueue of a queue that only MaxWait bounds.
const Unbounded = -1

// BodyAhead is how much of a body is waited for before the gate is asked.
const BodyAhead Bytes = 8 << 10

// Gate is how one gate bounds, orders and refuses.
type Gate struct {
	Name string
	// Limit is how many requests may be in flight, 1 to [limit.Max]. 0 is
	// "auto": found and kept between MinLimit and MaxLimit.
	Limit              int
	MinLimit, MaxLimit int
	// MaxWait is the longest a request waits for its turn. 0: nobody waits.
	MaxWait time.Duration
	// MaxQueue bounds the queue in places. 0: there is no queue, requests are
	// admitted while a slot is free. [Unbounded]: MaxWait alone bounds it.
	MaxQueue int
	// MaxQueueBytes bounds the memory that all who wait hold: their headers, and
	// [BodyAhead] of each that has a body. 0: no bound.
	MaxQueueBytes Bytes
	// Order is how waiters of one class are served.
	Order queue.Order
	// Full is what happens when the queue is full and holds nothing less
	// important.
	Full queue.Full
	// MaxStreams is how many long-lived streams may be open beside the limit.
	// 0: none, streams keep their slot.
	MaxStreams int
	// Shares are what criticalities are guaranteed, in percent.
	Shares queue.Shares
	// Recover is when a stuck gate is freed, and how.
	Recover Recover
	// Ladder is what is answered more cheaply before anybody is refused.
	Ladder Ladder
}

// Equal reports whether two gates are the same in everything.
func (g Gate) Equal(o Gate) bool {
	return g.Name == o.Name && g.Limit == o.Limit && g.MinLimit == o.MinLimit && g.MaxLimit == o.MaxLimit &&
		g.MaxWait == o.MaxWait && g.MaxQueue == o.MaxQueue && g.MaxQueueBytes == o.MaxQueueBytes && g.Order == o.Order &&
		g.Full == o.Full && g.MaxStreams == o.MaxStreams && g.Shares == o.Shares && g.Recover == o.Recover && g.Ladder.Equal(o.Ladder)
}

// Recover is how a gate leaves a state in which its capacity goes to callers
// that have left.
type Recover struct {
	// Automatic says that it happens by itself, when goodput has been below
	// Below, as a part of what is served, for After.
	Automatic bool
	After     time.Duration
	Below     Percent
	// Ramp is how long it takes until everybody is admitted again.
	Ramp time.Duration
}

func newGate(name string) Gate {
	return Gate{
		Name:          name,
		MinLimit:      1,
		MaxLimit:      limit.DefaultAutoMax,
		MaxWait:       plimsoll.DefaultMaxWait,
		MaxQueue:      Unbounded,
		MaxQueueBytes: 64 << 20,
		MaxStreams:    plimsoll.DefaultMaxStreams,
		Recover:       Recover{After: 10 * time.Second, Below: 20, Ramp: 5 * time.Second},
	}
}

// Plimsoll returns the gate as the library has it. Here zero means zero; there
// it means the default, and none is negative.
func (g Gate) Plimsoll() plimsoll.Config {
	c := plimsoll.Config{
		Name:          g.Name,
		MaxWait:       g.MaxWait,
		MaxQueue:      g.MaxQueue,
		MaxQueueBytes: int64(g.MaxQueueBytes),
		MaxStreams:    g.MaxStreams,
		Order:         g.Order,
		Full:          g.Full,
		Shares:        g.Shares,
		Ladder:        g.Ladder.plimsoll(),
	}
	if g.Limit != 0 {
		c.Limit = limit.NewFixed(g.Limit)
	} else {
		c.Limit = limit.NewAuto(limit.AutoConfig{Min: g.MinLimit, Max: g.MaxLimit})
	}
	if g.MaxWait == 0 {
		c.MaxWait = -1
	}
	switch g.MaxQueue {
	case Unbounded:
		c.MaxQueue = 0
	case 0:
		c.MaxQueue = -1
	}
	if g.MaxStreams == 0 {
		c.MaxStreams = -1
	}
	return c
}

// The orders and the policies of a full queue that a file may name.
var (
	orders = []queue.Order{queue.Adaptive, queue.OldestFirst, queue.NewestFirst, queue.EarliestDeadline}
	fulls  = []queue.Full{queue.Refuse, queue.DropOldest, queue.DropNewest, queue.Block}
)

// gateKeys are the keys of a gate; some are flags as well.
var gateKeys = []key[Gate]{
	member("limit", numberOr("auto", 0, 1, limit.Max), func(g *Gate) *int { return &g.Limit },
		"How many requests may be in flight: auto finds it between minLimit and maxLimit; a number is trusted, and excludes those two."),
	member("minLimit", number(1, limit.Max), func(g *Gate) *int { return &g.MinLimit },
		"The least that auto goes down to.").when(searched),
	member("maxLimit", number(1, limit.Max), func(g *Gate) *int { return &g.MaxLimit },
		"The most that auto goes up to.").when(searched),
	member("maxWait", duration(true), func(g *Gate) *time.Duration { return &g.MaxWait },
		"The longest that a request waits for its turn. 0: none waits."),
	member("maxQueue", numberOr("auto", Unbounded, 0, most), func(g *Gate) *int { return &g.MaxQueue },
		"Places in the queue. auto: as many as can be served within maxWait. 0: no queue, and a free slot still admits."),
	member("maxQueueBytes", size(0, 1<<40), func(g *Gate) *Bytes { return &g.MaxQueueBytes },
		"The memory that all who wait may hold together: their headers, and 8 KiB of each that has a body. 0: no bound."),
	member("order", choice(orders, queue.Order.String), func(g *Gate) *queue.Order { return &g.Order },
		"Who is served first of one class: adaptive (oldest first, and newest first while a standing queue lasts; a class above the lowest that waits when its oldest has spent three fifths of its wait), oldest_first, newest_first, earliest_deadline."),
	member("full", choice(fulls, queue.Full.String), func(g *Gate) *queue.Full { return &g.Full },
		"What happens to a request that finds the queue full of nothing less important: refuse, drop_oldest, drop_newest, or block (classes whose producer is internal wait past the bound)."),
	member("maxStreams", number(0, most), func(g *Gate) *int { return &g.MaxStreams },
		"Long-lived streams (WebSocket, server-sent events, routes with stream: true) that may be open beside the limit. 0: none; they keep their slot."),
	member("shares", shares, func(g *Gate) *queue.Shares { return &g.Shares },
		"What criticalities are guaranteed of slots and places while they have somebody waiting, such as {SHEDDABLE: 10%}. Absent: the highest goes first, always."),
	member("recover", recovery, func(g *Gate) *Recover { return &g.Recover },
		"How the gate is freed when its capacity goes to callers that have left: what nobody waits for is dropped, and work is readmitted on a ramp."),
	member("ladder", ladderKind, func(g *Gate) *Ladder { return &g.Ladder },
		"What is answered more cheaply before anybody is refused, by the delay of the queue: named tiers, of which the service is told, and what the routes do by themselves. Absent: nothing.").when(func(g *Gate) bool { return g.Ladder.Any() }),
}

// searched reports whether the limit is found.
func searched(g *Gate) bool { return g.Limit == 0 }

var gate = object(func() Gate { return newGate("") }, gateKeys...).also(schema{
	"if":   schema{"properties": schema{"limit": schema{"type": "integer"}}, "required": []string{"limit"}},
	"then": schema{"properties": schema{"minLimit": false, "maxLimit": false}},
})

var recovery = object(func() Recover { return newGate("").Recover },
	member("automatic", truth, func(r *Recover) *bool { return &r.Automatic },
		"Whether it happens by itself. Otherwise by plimsoll recover, or POST /recover."),
	member("after", duration(false), func(r *Recover) *time.Duration { return &r.After },
		"For how long the goodput has to have been below."),
	member("below", percent(0, 100), func(r *Recover) *Percent { return &r.Below },
		"The part of what is served that reaches a caller who still waits, under which the gate counts as stuck."),
	member("ramp", duration(true), func(r *Recover) *time.Duration { return &r.Ramp },
		"How long it takes until all slots are handed out again. 0: at once."),
)
