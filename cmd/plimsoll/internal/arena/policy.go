package arena

import (
	"github.com/plimsoll-go/plimsoll/limit"
	"github.com/plimsoll-go/plimsoll/sim"
	"github.com/plimsoll-go/plimsoll/sim/peers"
)

// Policy is what stands in front of a station.
type Policy struct {
	Name  string
	About string
	// Told says that it was told how much is best, which the others have to find
	// out: no peer of theirs, but a mark that they can be measured by.
	Told  bool
	place func(*sim.Station)
}

// Auto is the name of the policy that has to win.
const Auto = "auto"

// None is the name of the policy that is none.
const None = "none"

// Policies are all that are played, in the order in which they are shown.
func Policies() []Policy {
	all := []Policy{
		{Name: Auto, About: "the gate as it comes", place: gate(nil)},
		{Name: "fixed", About: "the gate, told how many slots are best: as many as there are workers", Told: true, place: func(st *sim.Station) {
			gate(sim.Fixed(slots(st)))(st)
		}},
		{Name: "gate-vegas", About: "the gate, with Vegas over windows", place: gate(func() limit.Algorithm { return limit.NewVegas(limit.VegasConfig{}) })},
		{Name: "gate-gradient", About: "the gate, with Gradient over windows", place: gate(func() limit.Algorithm { return limit.NewGradient(limit.GradientConfig{}) })},
		{Name: "gate-gradient2", About: "the gate, with Gradient2 over windows", place: gate(func() limit.Algorithm { return limit.NewGradient2(limit.Gradient2Config{}) })},
		{Name: "gate-aimd", About: "the gate, with AIMD over windows", place: gate(func() limit.Algorithm { return limit.NewAIMD(limit.AIMDConfig{}) })},
	}
	for _, p := range peers.All {
		all = append(all, Policy{Name: p.Name, About: p.About, place: func(st *sim.Station) { st.Gate, st.Admitter = nil, p.New }})
	}
	return append(all, Policy{Name: None, About: "an unbounded queue, oldest first", place: func(st *sim.Station) { st.Gate = nil }})
}

// gate puts a limit into the gate that the scenario has there, or into one as it
// comes.
func gate(l func() limit.Algorithm) func(*sim.Station) {
	return func(st *sim.Station) {
		g := sim.Gate{}
		if st.Gate != nil {
			g = *st.Gate
		}
		g.Limit = l
		st.Gate = &g
	}
}

// slots is the parallelism that an operator would write down.
func slots(st *sim.Station) int {
	switch {
	case st.Sharing != nil:
		return max(int(st.Sharing.Cores), 1)
	case st.Workers > 0:
		return st.Workers
	}
	return 1
}
