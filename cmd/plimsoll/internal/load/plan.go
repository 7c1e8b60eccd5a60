// Package load is "plimsoll load": it plays a schedule of requests against a
// service, whatever the service makes of them, and says what became of each.
//
// [Run] plays a [Plan] and is all of it but the command line. A run ends by
// itself: at the end of its schedule, when the last request has its answer or
// has passed its deadline, and a grace after that at the latest.
package load

import (
	"time"

	"github.com/plimsoll-go/plimsoll/class"
	"github.com/plimsoll-go/plimsoll/cmd/plimsoll/internal/mix"
	"github.com/plimsoll-go/plimsoll/cmd/plimsoll/internal/openloop"
	"github.com/plimsoll-go/plimsoll/cmd/plimsoll/internal/result"
	"github.com/plimsoll-go/plimsoll/cmd/plimsoll/internal/schedule"
	"github.com/plimsoll-go/plimsoll/cmd/plimsoll/internal/tally"
	"github.com/plimsoll-go/plimsoll/cmd/plimsoll/internal/target"
)

// DefaultMaxSlip is that of a [Plan].
const DefaultMaxSlip = 10 * time.Millisecond

// Times that a run takes beyond its schedule and the deadlines of its requests.
const (
	grace = 2 * time.Second // until what does not end by itself is given up
	brief = time.Second     // the same, of a run that is interrupted
)

// Plan is one run.
type Plan struct {
	Name     string        // of the target, as results have it
	Target   target.Target // of the classes of Mix
	Schedule *schedule.Schedule
	Mix      *mix.Mix
	Seed     uint64 // of arrivals, and of what is drawn for them
	// InFlight is how many requests may be without an answer at a time. Zero:
	// [openloop.DefaultInFlight].
	InFlight int
	// MaxSlip is the most that the 99th percentile of the time from due to sent
	// may be, or the result is invalid; a request that would be sent later than
	// two and a half times that is not. Zero: [DefaultMaxSlip].
	MaxSlip time.Duration
	// Wake is that of [openloop.Sender].
	Wake func(time.Duration)
	// Begun is called when the run begins, with what counts it and when its time
	// is 0. Nil: nobody is told.
	Begun func(t *tally.Tally, start time.Time)
}

func (p *Plan) maxSlip() time.Duration {
	if p.MaxSlip > 0 {
		return p.MaxSlip
	}
	return DefaultMaxSlip
}

// overdue is how late a request may be sent: at the default as late as a sender
// by itself has it.
func (p *Plan) overdue() time.Duration { return p.maxSlip() * 5 / 2 }

func (p *Plan) inFlight() int {
	if p.InFlight > 0 {
		return p.InFlight
	}
	return openloop.DefaultInFlight
}

// classes are those of the mix, as a tally wants them.
func (p *Plan) classes() []tally.Class {
	out := make([]tally.Class, len(p.Mix.Classes))
	for i, c := range p.Mix.Classes {
		out[i].Name = c.Name
		if c.Criticality != class.Unset {
			out[i].Criticality = c.Criticality.String()
		}
	}
	return out
}

// about is what a result says of the plan itself.
func (p *Plan) about(began time.Time, ran time.Duration, interrupted bool) result.Result {
	r := result.Result{
		Target: p.Name, Schedule: p.Schedule.String(), Seed: p.Seed, Began: began,
		Length: p.Schedule.Length().Seconds(), Ran: min(ran, p.Schedule.Length()).Seconds(), Interrupted: interrupted,
	}
	if end, ok := p.Schedule.LastPeak(); ok {
		s := end.Seconds()
		r.PeakEnd = &s
	}
	return r
}
