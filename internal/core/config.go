package core

import (
	"time"

	"github.com/plimsoll-go/plimsoll/ladder"
	"github.com/plimsoll-go/plimsoll/limit"
	"github.com/plimsoll-go/plimsoll/queue"
)

// Defaults of [Resolve].
const (
	DefaultMaxWait    = 500 * time.Millisecond
	DefaultMaxPlaces  = 10_000
	DefaultMaxStreams = 1_000
)

// longest is what stands for any longer time, so that one can be added to now.
const longest = 365 * 24 * time.Hour

// Config is a machine's configuration with every default already resolved and
// every value in range: zero means zero. [Resolve] makes it of what users
// write.
type Config struct {
	Limit           limit.Algorithm
	MaxWait         time.Duration // 0: nobody waits
	MaxQueue        int           // places at most, whatever the drain rate; 0: no queue
	MaxQueueBytes   int64         // that waiters hold together; 0: no bound
	Order           queue.Order
	NewestAbove     int           // 0: depth plays no part
	Standing        time.Duration // as the queue reads it: 0 its default, negative off
	PromoteAfter    time.Duration // 0: nobody is
	DeadLetterAfter time.Duration // 0: nobody is
	StandingWait    time.Duration // of who comes while the queue stands; 0: MaxWait
	Full            queue.Full
	Shares          queue.Shares  // of slots and places; zero: none
	CoDel           *queue.CoDel  // nil: off
	Utilisation     float64       // share of the limit handed out, in (0, 1]
	CountInFlight   bool          // a predicted wait counts those in flight
	ServiceTime     time.Duration // 0: measured
	NoPrediction    bool
	ExpireAtDequeue bool
	MaxStreams      int
	Ladder          *ladder.Config // nil: nobody is answered more cheaply
}

// queueConfig is the part of c that the queue rules on, with the places in
// force now and after what time a queue stands.
func (c *Config) queueConfig(places int, standing time.Duration) queue.Config {
	return queue.Config{
		Places: places, Blocked: places, MaxBytes: c.MaxQueueBytes,
		Order: c.Order, NewestAbove: c.NewestAbove, Standing: standing,
		Full: c.Full, PromoteAfter: c.PromoteAfter, Shares: c.Shares, CoDel: c.CoDel,
	}
}

// Resolve fills in the defaults of a configuration as users write it: a zero
// MaxWait, MaxQueue or MaxStreams is the default and a negative one is none; a
// zero Utilisation hands the whole limit out and counts waiters alone; a nil
// Limit is a fresh [limit.Auto]. What users cannot set follows from the rest.
func Resolve(c Config) Config {
	c.MaxWait = min(orDefault(c.MaxWait, DefaultMaxWait), longest)
	c.StandingWait = min(c.StandingWait, longest)
	c.ServiceTime = min(c.ServiceTime, longest)
	c.MaxQueue = orDefault(c.MaxQueue, DefaultMaxPlaces)
	c.MaxStreams = orDefault(c.MaxStreams, DefaultMaxStreams)
	c.CountInFlight = c.Utilisation > 0
	if c.Utilisation == 0 {
		c.Utilisation = 1
	}
	if c.CoDel != nil {
		own := *c.CoDel
		c.CoDel = &own
	}
	if c.Ladder != nil {
		own := c.Ladder.Resolved()
		c.Ladder = &own
	}
	if c.Limit == nil {
		c.Limit = limit.NewAuto(limit.AutoConfig{})
	}
	return c
}

// orDefault reads the convention of bounds: zero is the default, negative is
// none.
func orDefault[T int | time.Duration](v, def T) T {
	switch {
	case v == 0:
		return def
	case v < 0:
		return 0
	}
	return v
}
