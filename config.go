package plimsoll

import (
	"errors"
	"fmt"
	"math"
	"time"

	"github.com/plimsoll-go/plimsoll/internal/core"
	"github.com/plimsoll-go/plimsoll/ladder"
	"github.com/plimsoll-go/plimsoll/limit"
	"github.com/plimsoll-go/plimsoll/queue"
)

// Defaults of [Config].
const (
	DefaultMaxWait    = core.DefaultMaxWait    // 500 ms
	DefaultMaxPlaces  = core.DefaultMaxPlaces  // 10,000
	DefaultMaxStreams = core.DefaultMaxStreams // 1,000
	DefaultMaxHold    = 5 * time.Minute
)

// Config says how a [Gate] bounds, orders and refuses work. The zero value is
// a working default: a limit that is found, four lanes, half a second of
// waiting at most, no tuning. [New] copies it; later changes have no effect
// except through [Gate.Reconfigure].
type Config struct {
	// Name stands in refusals and metrics. Empty: "gate".
	Name string

	// Limit finds how many may be in flight; where that is known,
	// [limit.NewFixed] says it. Nil: a fresh [limit.Auto]. An algorithm is called
	// under its gate's lock: give each gate its own, also where a Config makes
	// several.
	Limit limit.Algorithm

	// MaxWait is the longest anybody waits in the queue, and by the drain
	// rate (L = mu x Wq) what bounds its length. Zero: [DefaultMaxWait].
	// Negative: nobody waits.
	MaxWait time.Duration

	// MaxQueue bounds the queue in places, on top of MaxWait. Zero: MaxWait
	// alone bounds it, up to [DefaultMaxPlaces]. Negative: no queue; work is
	// admitted while a slot is free and refused otherwise.
	MaxQueue int

	// MaxQueueBytes bounds the memory that all who wait hold together, by
	// [Work.Bytes], beside the count. Work that does not fit takes the places of
	// waiters that rank lower, or is refused with [QueueFull]. Zero: no bound.
	MaxQueueBytes int64

	// Order is how waiters of one criticality and tenant are served. The
	// zero value, [queue.Adaptive], serves oldest first, and newest first while
	// a standing queue lasts: the lowest criticality that waits at once, one
	// above it when the oldest has spent three fifths of the time that it may
	// wait.
	Order queue.Order

	// NewestAbove serves everybody newest first while more than this many wait,
	// with [queue.Adaptive] order. Zero: depth plays no part.
	NewestAbove int

	// Standing is for how long the queue has not been empty when it stands, so
	// that [queue.Adaptive] order may turn to newest first. Zero:
	// [queue.DefaultStanding]. Negative: time plays no part.
	Standing time.Duration

	// StandingWait is the longest that work waits which arrives while the
	// queue stands, which is to say has not been empty for Standing; on any
	// other it is MaxWait. With MaxWait of 100 ms and this of 5 ms a burst
	// passes untouched, and in an overload what is served is fresh (Maurer,
	// "Fail at Scale", ACM Queue 13(8), 2015). Zero: MaxWait, always.
	StandingWait time.Duration

	// PromoteAfter is how long work waits in its criticality before it goes on
	// in the next above, as the latest there, up to the highest: so a low class
	// is served in the end, whatever comes of higher ones. It is counted as its
	// own class all the same. Zero: it stays where it is.
	PromoteAfter time.Duration

	// DeadLetterAfter is how long anybody waits before it leaves with
	// [DeadLetter]: not to be tried again, but to be set aside by a consumer of
	// messages, say. Zero: who has waited for MaxWait leaves with [MaxWait].
	DeadLetterAfter time.Duration

	// Full is what happens to an arrival that finds the queue full and
	// nothing of a lower rank in it. The zero value refuses it.
	Full queue.Full

	// Shares guarantees criticalities a part of the slots, and of the places in
	// a full queue, in percent, for as long as they have somebody waiting. What
	// a class does not use is lent, and its own again within one service time.
	// Zero: nobody is guaranteed anything, and criticalities are served strictly
	// from the highest down. While there are guarantees every arrival takes the
	// gate's lock.
	Shares queue.Shares

	// CoDel gives waiters up before their turn while waits stay above its
	// target, by RFC 8289; it wants [queue.OldestFirst] order. Nil: who waits
	// leaves when its time is up, and not before.
	CoDel *queue.CoDel

	// Utilisation is the share of the limit that is handed out, in (0, 1];
	// the rest lets what is admitted drain. With it, an arrival's predicted
	// wait counts those in flight: in flight / (limit / service time). Zero:
	// the whole limit, and waiters alone are counted.
	Utilisation float64

	// ServiceTime is what one piece of work holds its slot for, where it is
	// known. Zero: measured.
	ServiceTime time.Duration

	// NoPrediction switches off the refusal of arrivals that would finish
	// too late. What is hopeless is then dropped when its turn comes.
	NoPrediction bool

	// ExpireAtDequeue leaves expired waiters in the queue until their turn
	// comes. By default they leave by themselves, on time.
	ExpireAtDequeue bool

	// Ladder lists what is answered more cheaply when the queue's predicted
	// delay rises, before anybody is refused: nothing is shed while a tier is
	// off that may still go on. Its thresholds are below MaxWait, and below
	// DeadLetterAfter if there is one. Only once somebody is shed with every tier
	// on does the queue stand, for Order and StandingWait. Nil: everybody gets
	// the full answer.
	Ladder *ladder.Config

	// OnTier is told of every tier that goes on or off, in order, by a goroutine
	// of its own and without the gate's lock. Nil: nobody is.
	OnTier func(TierChange)

	// MaxStreams bounds long-lived streams that have left their slot.
	// Zero: [DefaultMaxStreams]. Negative: none may leave.
	MaxStreams int

	// MaxHold is the age at which a slot that was not given back counts as
	// overdue in [Snapshot]. Zero: [DefaultMaxHold].
	MaxHold time.Duration
}

// Validate reports every fault at once and changes nothing.
func (c Config) Validate() error {
	var faults []error
	want := func(ok bool, key, wanted string, got any) {
		if !ok {
			faults = append(faults, fmt.Errorf("plimsoll: Config.%s: want %s, have %v", key, wanted, got))
		}
	}
	want(c.Order.Valid(), "Order", "one of the queue package's orders", uint8(c.Order))
	want(c.Full.Valid(), "Full", "one of the queue package's policies", uint8(c.Full))
	want(!math.IsNaN(c.Utilisation) && c.Utilisation >= 0 && c.Utilisation <= 1, "Utilisation", "a share from 0 to 1", c.Utilisation)
	want(c.NewestAbove >= 0, "NewestAbove", "0 or more", c.NewestAbove)
	want(c.ServiceTime >= 0, "ServiceTime", "0 or more", c.ServiceTime)
	want(c.MaxHold >= 0, "MaxHold", "0 or more", c.MaxHold)
	for _, f := range core.Faults(c.written()) {
		want(false, f.Key, f.Wanted, f.Got)
	}
	if v, ok := c.Limit.(interface{ Validate() error }); ok {
		if err := v.Validate(); err != nil {
			faults = append(faults, fmt.Errorf("plimsoll: Config.Limit: %w", err))
		}
	}
	return errors.Join(faults...)
}

// resolved is c with every default filled in, for the machine.
func (c Config) resolved() core.Config {
	r := core.Resolve(c.written())
	if r.Ladder != nil && r.Ladder.Seed == 0 {
		r.Ladder.Seed = seed()
	}
	return r
}

// written is c as the machine names its fields.
func (c Config) written() core.Config {
	return core.Config{
		Limit:           c.Limit,
		MaxWait:         c.MaxWait,
		MaxQueue:        c.MaxQueue,
		MaxQueueBytes:   c.MaxQueueBytes,
		Order:           c.Order,
		NewestAbove:     c.NewestAbove,
		Standing:        c.Standing,
		PromoteAfter:    c.PromoteAfter,
		DeadLetterAfter: c.DeadLetterAfter,
		StandingWait:    c.StandingWait,
		Full:            c.Full,
		Shares:          c.Shares,
		CoDel:           c.CoDel,
		Utilisation:     c.Utilisation,
		ServiceTime:     c.ServiceTime,
		NoPrediction:    c.NoPrediction,
		ExpireAtDequeue: c.ExpireAtDequeue,
		MaxStreams:      c.MaxStreams,
		Ladder:          c.Ladder,
	}
}
