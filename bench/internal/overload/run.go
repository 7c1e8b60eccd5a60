package overload

import (
	"fmt"
	"runtime"
	"sync"
	"time"

	"github.com/plimsoll-go/plimsoll/bench/internal/backend"
	"github.com/plimsoll-go/plimsoll/bench/internal/meter"
)

// Plan is what is played.
type Plan struct {
	Length   time.Duration // of the overload
	Measure  time.Duration // of a closed loop on the processor, before and after
	Load     float64       // of the capacity
	Deadline time.Duration
	Seed     uint64
}

// The backends.
const (
	Slots       = 8
	SlotService = 20 * time.Millisecond
	SpinService = 2 * time.Millisecond
)

// Control is the name of the closed loop beside the policies.
const Control = "closed loop, nothing refused"

// loopCallers is how many a closed loop has for each slot or processor: enough
// that a moment in which nobody gets to run leaves none of them idle.
const loopCallers = 8

// Policies are the names of the limiters.
func Policies() []string {
	var names []string
	for _, p := range policies {
		names = append(names, p.name)
	}
	return names
}

// RunSlots plays all policies side by side, each before slots of its own. The
// last figures are the control's.
func RunSlots(p Plan) ([]Figures, error) {
	due := arrivals(p.Load*Slots/SlotService.Seconds(), p.Length, p.Seed)
	ended := make([][]record, len(policies))
	guards := make([]guard, len(policies))
	for i, c := range policies {
		var err error
		if guards[i], err = c.start(); err != nil {
			return nil, fmt.Errorf("%s: %w", c.name, err)
		}
	}
	var all sync.WaitGroup
	for i, g := range guards {
		all.Go(func() {
			s := backend.NewSlots(Slots, SlotService)
			defer s.Stop()
			ended[i] = play(due, p.Deadline, g, s.Serve, func() {})
		})
	}
	control := backend.NewSlots(Slots, SlotService)
	loop := closedLoop(loopCallers*Slots, p.Length, control.Serve)
	all.Wait()
	control.Stop()

	capacity := mean(bySecond(loop, p.Length)[settle/time.Second:])
	var out []Figures
	for i, c := range policies {
		out = append(out, figures(c.name, ended[i], p.Length, capacity))
	}
	return append(out, figures(Control, loop, p.Length, capacity)), nil
}

// RunSpin plays one policy before a handler that spins, in this process. What
// is offered is a multiple of what the machine could do were it all ours. The
// capacity is the processor time that nobody else has used meanwhile, by what
// the closed loops answered for theirs.
func RunSpin(p Plan, name string) (Figures, error) {
	for _, c := range policies {
		if c.name != name {
			continue
		}
		s := newSpinner(SpinService)
		var loop loops
		loop.add(p.Measure, s)
		g, err := c.start()
		if err != nil {
			return Figures{}, fmt.Errorf("%s: %w", name, err)
		}
		due := arrivals(p.Load*float64(runtime.GOMAXPROCS(0))/SpinService.Seconds(), p.Length, p.Seed)
		had := spare()
		processors, told := 0.0, false
		records := play(due, p.Deadline, g, s.serve, func() {
			processors, told = had()
			s.stopped.Store(true)
		})
		s.stopped.Store(false)
		loop.add(p.Measure, s)
		perSecond := loop.answers / loop.wall
		if told {
			perSecond = processors * loop.answers / loop.cpu
		}
		f := figures(name, records, p.Length, perSecond)
		f.Processors = processors
		return f, nil
	}
	return Figures{}, fmt.Errorf("no policy is called %q", name)
}

// loops are closed loops on the processor: what they answered, and the seconds
// and processor seconds that it took.
type loops struct{ answers, wall, cpu float64 }

func (l *loops) add(length time.Duration, s *spinner) {
	cpu, wall := meter.CPU(), time.Now()
	l.answers += float64(len(closedLoop(loopCallers*runtime.GOMAXPROCS(0), length, s.serve)))
	l.wall += time.Since(wall).Seconds()
	l.cpu += (meter.CPU() - cpu).Seconds()
}
