package peers

import (
	"time"

	"github.com/plimsoll-go/plimsoll/sim"
)

// What is described of Cinnamon's controller leaves the gains to its operator.
// These settle for eight workers from 1.2 to 10 times of what they can do.
const (
	pidInterval     = 100 * time.Millisecond
	pidProportional = 0.1
	pidIntegral     = 0.14 // per interval
	pidMost         = 0.99 // refused at most
	pidHistory      = 1000 // requests
)

// PID refuses a share of what comes, the least important first. A controller
// sets the share: its error is what came in, less what went out and the workers
// that are free, over what went out, as the rejector of Uber's Cinnamon is
// described ("PID Controller for Cinnamon", 2023), with a queue of as many places
// as there are workers, without which these would idle.
type PID struct {
	plain
	due       time.Duration
	in, out   int
	sum       float64
	recent    [pidHistory]int
	n         int
	threshold int // of the priorities, from it on: admitted
}

// NewPID returns one that refuses nothing.
func NewPID() *PID { return &PID{} }

// Arrive implements [sim.Admitter].
func (p *PID) Arrive(v sim.View, r sim.Request) sim.Admission {
	if v.Now >= p.due {
		p.turn(v)
	}
	k := priority(r)
	p.recent[p.n%pidHistory] = k
	p.n++
	if k < p.threshold {
		return sim.Refuse
	}
	p.in++
	return sim.Admit
}

// End implements [sim.Admitter].
func (p *PID) End(sim.View, sim.Request, sim.Served) { p.out++ }

// turn is one step of the controller.
func (p *PID) turn(v sim.View) {
	p.due = v.Now + pidInterval
	queued, free := v.InFlight-v.Busy, v.Workers-v.Busy
	e := float64(p.in-p.out+queued-free-v.Workers) / float64(max(p.out, 1))
	p.in, p.out = 0, 0
	p.sum = min(max(p.sum+float64(e*pidIntegral), 0), pidMost)
	p.set(min(max(float64(e*pidProportional)+p.sum, 0), pidMost))
}

// set takes the threshold off the priorities that came of late.
func (p *PID) set(share float64) {
	n := min(p.n, pidHistory)
	var came [priorities]int
	for _, k := range p.recent[:n] {
		came[k]++
	}
	left := float64(share * float64(n))
	for p.threshold = 0; left > 0 && p.threshold < priorities; p.threshold++ {
		left -= float64(came[p.threshold])
	}
}
