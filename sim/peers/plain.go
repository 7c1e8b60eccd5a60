package peers

import (
	"time"

	"github.com/plimsoll-go/plimsoll/class"
	"github.com/plimsoll-go/plimsoll/sim"
)

// plain is what most of them have in common: no queue of their own, and nothing
// dropped that was admitted.
type plain struct{}

func (plain) Room(sim.View) bool                              { return false }
func (plain) Begin(sim.View, sim.Request, time.Duration) bool { return true }
func (plain) End(sim.View, sim.Request, sim.Served)           {}
func (plain) Limit() int                                      { return 0 }

// cohorts is how many parts the requests of one rank are told apart in, by who
// sent them, so that a share of one rank can be refused.
const cohorts = 128

// priorities is how many there are: every criticality in its cohorts.
const priorities = (class.Count + 1) * cohorts

// priority is a request's criticality and its cohort in it.
func priority(r sim.Request) int {
	return int(r.Rank.Criticality())*cohorts + int((r.Number*0x9e3779b97f4a7c15)>>57)
}

// admitIf is the ruling of those who never make anybody wait.
func admitIf(ok bool) sim.Admission {
	if ok {
		return sim.Admit
	}
	return sim.Refuse
}
