package sim

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

// Gate configures the gate of a station. Its fields mean what those of the
// same name in plimsoll.Config mean, with the same defaults: the zero value
// finds its limit and lets nobody wait for more than half a second.
type Gate struct {
	// Limit makes the algorithm of one run, which nothing else may use. Nil:
	// a fresh limit.Auto.
	Limit func() limit.Algorithm

	MaxWait         time.Duration
	MaxQueue        int
	MaxQueueBytes   int64
	Order           queue.Order
	NewestAbove     int
	Standing        time.Duration
	PromoteAfter    time.Duration
	DeadLetterAfter time.Duration
	StandingWait    time.Duration
	Full            queue.Full
	Shares          queue.Shares
	CoDel           *queue.CoDel
	Utilisation     float64
	ServiceTime     time.Duration
	NoPrediction    bool
	ExpireAtDequeue bool
	MaxStreams      int
	Ladder          *ladder.Config
}

// Fixed makes a fixed limit, for [Gate].
func Fixed(n int) func() limit.Algorithm {
	return func() limit.Algorithm { return limit.NewFixed(n) }
}

// machine is what a live gate of this configuration would ask.
func (g *Gate) machine() *core.Machine {
	c := g.written()
	if g.Limit != nil {
		c.Limit = g.Limit()
	}
	return core.New(core.Resolve(c))
}

// written is g as the machine names its fields, without a limit.
func (g *Gate) written() core.Config {
	return core.Config{
		MaxWait:         g.MaxWait,
		MaxQueue:        g.MaxQueue,
		MaxQueueBytes:   g.MaxQueueBytes,
		Order:           g.Order,
		NewestAbove:     g.NewestAbove,
		Standing:        g.Standing,
		PromoteAfter:    g.PromoteAfter,
		DeadLetterAfter: g.DeadLetterAfter,
		StandingWait:    g.StandingWait,
		Full:            g.Full,
		Shares:          g.Shares,
		CoDel:           g.CoDel,
		Utilisation:     g.Utilisation,
		ServiceTime:     g.ServiceTime,
		NoPrediction:    g.NoPrediction,
		ExpireAtDequeue: g.ExpireAtDequeue,
		MaxStreams:      g.MaxStreams,
		Ladder:          g.Ladder,
	}
}

// validate reports every fault of g.
func (g *Gate) validate() error {
	var faults []error
	want := func(ok bool, what string) {
		if !ok {
			faults = append(faults, errors.New(what))
		}
	}
	want(g.Order.Valid(), "Order: want one of the queue package's orders")
	want(g.Full.Valid(), "Full: want one of the queue package's policies")
	want(!math.IsNaN(g.Utilisation) && g.Utilisation >= 0 && g.Utilisation <= 1, "Utilisation: want a share from 0 to 1")
	want(g.NewestAbove >= 0, "NewestAbove: want 0 or more")
	want(g.ServiceTime >= 0, "ServiceTime: want 0 or more")
	for _, f := range core.Faults(g.written()) {
		want(false, fmt.Sprintf("%s: want %s, have %v", f.Key, f.Wanted, f.Got))
	}
	if g.Limit != nil {
		if v, ok := g.Limit().(interface{ Validate() error }); ok {
			if err := v.Validate(); err != nil {
				faults = append(faults, err)
			}
		}
	}
	return errors.Join(faults...)
}
