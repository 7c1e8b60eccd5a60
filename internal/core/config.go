package core

import (
	"time"

	"github.com/plimsoll-go/plimsoll/limit"
	"github.com/plimsoll-go/plimsoll/queue"
)

// Config is a machine's configuration with every default already resolved and
// every value in range: zero means zero.
type Config struct {
	Limit           limit.Algorithm
	MaxWait         time.Duration // 0: nobody waits
	MaxQueue        int           // places at most, whatever the drain rate; 0: no queue
	Order           queue.Order
	NewestAbove     int           // 0: depth plays no part
	Standing        time.Duration // as the queue reads it: 0 its default, negative off
	Full            queue.Full
	Utilisation     float64       // share of the limit handed out, in (0, 1]
	CountInFlight   bool          // a predicted wait counts those in flight
	ServiceTime     time.Duration // 0: measured
	NoPrediction    bool
	ExpireAtDequeue bool
	MaxStreams      int
}

// queueConfig is the part of c that the queue rules on, with the places in
// force now.
func (c *Config) queueConfig(places int) queue.Config {
	return queue.Config{
		Places: places, Blocked: places,
		Order: c.Order, NewestAbove: c.NewestAbove, Standing: c.Standing,
		Full: c.Full,
	}
}
