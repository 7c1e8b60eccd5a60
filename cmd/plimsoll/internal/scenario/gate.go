package scenario

import (
	"slices"

	"math"
	"strings"

	"github.com/plimsoll-go/plimsoll/class"
	"github.com/plimsoll-go/plimsoll/cmd/plimsoll/internal/strict"
	"github.com/plimsoll-go/plimsoll/limit"
	"github.com/plimsoll-go/plimsoll/queue"
	"github.com/plimsoll-go/plimsoll/sim"
	"github.com/plimsoll-go/plimsoll/sim/peers"
)

var gateKeys = []field[sim.Gate]{
	{"limit", "Limit", func(r *reader, v strict.Value, g *sim.Gate) { g.Limit = r.limit(v) }},
	{"max-wait", "MaxWait", func(r *reader, v strict.Value, g *sim.Gate) { r.bound(v, &g.MaxWait) }},
	{"max-queue", "MaxQueue", func(r *reader, v strict.Value, g *sim.Gate) { r.counted(v, &g.MaxQueue) }},
	{"max-queue-bytes", "MaxQueueBytes", func(r *reader, v strict.Value, g *sim.Gate) { r.bytes(v, &g.MaxQueueBytes) }},
	{"order", "Order", func(r *reader, v strict.Value, g *sim.Gate) { word(r, v, orders, &g.Order) }},
	{"newest-above", "NewestAbove", func(r *reader, v strict.Value, g *sim.Gate) { r.count(v, &g.NewestAbove) }},
	{"standing", "Standing", func(r *reader, v strict.Value, g *sim.Gate) { r.bound(v, &g.Standing) }},
	{"standing-wait", "StandingWait", func(r *reader, v strict.Value, g *sim.Gate) { r.duration(v, &g.StandingWait) }},
	{"promote-after", "PromoteAfter", func(r *reader, v strict.Value, g *sim.Gate) { r.duration(v, &g.PromoteAfter) }},
	{"dead-letter-after", "DeadLetterAfter", func(r *reader, v strict.Value, g *sim.Gate) { r.duration(v, &g.DeadLetterAfter) }},
	{"shares", "Shares", func(r *reader, v strict.Value, g *sim.Gate) { object(r, v, shareKeys, &g.Shares) }},
	{"codel", "CoDel", func(r *reader, v strict.Value, g *sim.Gate) { g.CoDel = optional(r, v, codelKeys) }},
	{"full", "Full", func(r *reader, v strict.Value, g *sim.Gate) { word(r, v, fulls, &g.Full) }},
	{"utilisation", "Utilisation", func(r *reader, v strict.Value, g *sim.Gate) { r.share(v, &g.Utilisation) }},
	{"service-time", "ServiceTime", func(r *reader, v strict.Value, g *sim.Gate) { r.duration(v, &g.ServiceTime) }},
	{"no-prediction", "NoPrediction", func(r *reader, v strict.Value, g *sim.Gate) { r.Truth(v, &g.NoPrediction) }},
	{"expire-at-dequeue", "ExpireAtDequeue", func(r *reader, v strict.Value, g *sim.Gate) { r.Truth(v, &g.ExpireAtDequeue) }},
	{"max-streams", "MaxStreams", func(r *reader, v strict.Value, g *sim.Gate) { r.counted(v, &g.MaxStreams) }},
	{"ladder", "Ladder", func(r *reader, v strict.Value, g *sim.Gate) { g.Ladder = optional(r, v, ladderKeys) }},
}

// shareKeys are the criticalities.
var shareKeys = func() (table []field[queue.Shares]) {
	for c := class.CriticalPlus; c > class.Unset; c-- {
		table = append(table, field[queue.Shares]{c.String(), "", func(r *reader, v strict.Value, s *queue.Shares) {
			share := 0.0
			r.share(v, &share)
			s[c.Lane()] = int(math.Round(share * 100))
		}})
	}
	return table
}()

var codelKeys = []field[queue.CoDel]{
	{"target", "", func(r *reader, v strict.Value, c *queue.CoDel) { r.duration(v, &c.Target) }},
	{"interval", "", func(r *reader, v strict.Value, c *queue.CoDel) { r.duration(v, &c.Interval) }},
}

var (
	orders = []queue.Order{queue.Adaptive, queue.OldestFirst, queue.NewestFirst, queue.EarliestDeadline, queue.SmallestCost}
	fulls  = []queue.Full{queue.Refuse, queue.DropOldest, queue.DropNewest, queue.Block, queue.DropLargest}
)

// gate reads what stands in front of a station; nil: nothing does.
func (r *reader) gate(v strict.Value) *sim.Gate {
	if none(v) {
		return nil
	}
	g := &sim.Gate{}
	object(r, v, gateKeys, g)
	return g
}

// admitter reads whose policy rules in a gate's place; nil: none does.
func (r *reader) admitter(v strict.Value) func() sim.Admitter {
	if none(v) {
		return nil
	}
	all := slices.Concat(peers.All, peers.Faulty)
	names := make([]string, len(all))
	makers := make([]func() sim.Admitter, len(all))
	for i, p := range all {
		names[i], makers[i] = p.Name, p.New
	}
	var maker func() sim.Admitter
	strict.Choice(&r.Reader, v, names, makers, &maker)
	return maker
}

// maker makes the algorithm of one run.
type maker = func() limit.Algorithm

// limit reads how a gate finds its limit; nil after a fault.
func (r *reader) limit(v strict.Value) maker {
	if v.Scalar("!!str") && !isFormula(v) {
		if i := algorithm(v.Text); i >= 0 {
			empty := v
			empty.Node = nil
			return algorithms[i].read(r, empty)
		}
	}
	if v.IsObject() {
		return oneOf(r, v, algorithms)
	}
	n, before := 0, len(r.Faults)
	if r.count(v, &n); len(r.Faults) > before {
		r.Faults = r.Faults[:before]
		r.WantNot(v, "auto, aimd, vegas, gradient, gradient2, a number, or one of the names with its constants")
		return nil
	}
	if n < 1 || n > limit.Max {
		r.WantNot(v, "a limit from 1 to %d", limit.Max)
		return nil
	}
	return sim.Fixed(n)
}

func algorithm(name string) int {
	for i, a := range algorithms {
		if a.key == name {
			return i
		}
	}
	return -1
}

// constants reads the constants of an algorithm, if any are given.
func constants[T interface{ Validate() error }](table []field[T]) func(r *reader, v strict.Value) T {
	return func(r *reader, v strict.Value) (c T) {
		before := len(r.Faults)
		if v.Node != nil {
			object(r, v, table, &c)
		}
		if err := c.Validate(); err != nil && len(r.Faults) == before {
			for line := range strings.SplitSeq(err.Error(), "\n") {
				r.Want(v, "what the algorithm can go by: %s", strings.TrimPrefix(line, "limit: "))
			}
		}
		return c
	}
}

var algorithms = []form[maker]{
	{"auto", func(r *reader, v strict.Value) maker {
		c := constants(autoKeys)(r, v)
		return func() limit.Algorithm { return limit.NewAuto(c) }
	}},
	{"aimd", func(r *reader, v strict.Value) maker {
		c := constants(aimdKeys)(r, v)
		return func() limit.Algorithm { return limit.NewAIMD(c) }
	}},
	{"vegas", func(r *reader, v strict.Value) maker {
		c := constants(vegasKeys)(r, v)
		return func() limit.Algorithm { return limit.NewVegas(c) }
	}},
	{"gradient", func(r *reader, v strict.Value) maker {
		c := constants(gradientKeys)(r, v)
		return func() limit.Algorithm { return limit.NewGradient(c) }
	}},
	{"gradient2", func(r *reader, v strict.Value) maker {
		c := constants(gradient2Keys)(r, v)
		return func() limit.Algorithm { return limit.NewGradient2(c) }
	}},
}
