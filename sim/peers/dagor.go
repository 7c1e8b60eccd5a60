package peers

import (
	"time"

	"github.com/plimsoll-go/plimsoll/sim"
)

// The constants of DAGOR (Zhou et al., "Overload Control for Scaling WeChat
// Microservices", SoCC 2018).
const (
	dagorWindow   = time.Second
	dagorCount    = 2000
	dagorWait     = 20 * time.Millisecond
	dagorShed     = 0.05 // alpha
	dagorRestored = 0.01 // beta
)

// DAGOR admits by a threshold of priority: after each window of a second or
// 2,000 requests, a mean queuing time above 20 ms moves it so that a twentieth
// less is admitted than was, and otherwise so that a hundredth more is, by the
// histogram of the priorities that came: a criticality, and a user in it.
type DAGOR struct {
	plain
	threshold int // of the priorities, from it on: admitted
	start     time.Duration
	came      [priorities]int
	arrived   int
	admitted  int
	begun     int
	waited    time.Duration
}

// NewDAGOR returns one that admits everybody.
func NewDAGOR() *DAGOR { return &DAGOR{} }

// Arrive implements [sim.Admitter].
func (d *DAGOR) Arrive(v sim.View, r sim.Request) sim.Admission {
	if v.Now-d.start >= dagorWindow || d.arrived >= dagorCount {
		d.turn(v.Now)
	}
	p := priority(r)
	d.came[p]++
	d.arrived++
	if p < d.threshold {
		return sim.Refuse
	}
	d.admitted++
	return sim.Admit
}

// Begin implements [sim.Admitter].
func (d *DAGOR) Begin(_ sim.View, _ sim.Request, waited time.Duration) bool {
	d.begun++
	d.waited += waited
	return true
}

// turn ends a window.
func (d *DAGOR) turn(now time.Duration) {
	goal := float64(float64(d.admitted)+float64(dagorRestored*float64(d.arrived))) + 1
	if d.begun > 0 && d.waited/time.Duration(d.begun) > dagorWait {
		goal = float64(float64(d.admitted) * (1 - dagorShed))
	}
	above := 0
	d.threshold = 0
	for p := priorities - 1; p >= 0; p-- {
		if above += d.came[p]; float64(above) > goal {
			d.threshold = p + 1
			break
		}
	}
	*d = DAGOR{threshold: d.threshold, start: now}
}
