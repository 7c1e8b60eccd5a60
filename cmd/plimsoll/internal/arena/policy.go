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
	place func(*sim.Station)
}

// Auto is the name of the policy that has to win.
const Auto = "auto"

// None is the name of the policy that is none.
const None = "none"

// Policies are all that are played, in the order in which they are shown.
func Policies() []Policy {
	all := []Policy{
		{Auto, "the gate as it comes", gate(nil)},
		{"fixed", "the gate, with as many slots as there are workers", func(st *sim.Station) {
			st.Gate = &sim.Gate{Limit: sim.Fixed(slots(st))}
		}},
		{"gate-vegas", "the gate, with Vegas over windows", gate(func() limit.Algorithm { return limit.NewVegas(limit.VegasConfig{}) })},
		{"gate-gradient", "the gate, with Gradient over windows", gate(func() limit.Algorithm { return limit.NewGradient(limit.GradientConfig{}) })},
		{"gate-gradient2", "the gate, with Gradient2 over windows", gate(func() limit.Algorithm { return limit.NewGradient2(limit.Gradient2Config{}) })},
		{"gate-aimd", "the gate, with AIMD over windows", gate(func() limit.Algorithm { return limit.NewAIMD(limit.AIMDConfig{}) })},
	}
	for _, p := range peers.All {
		all = append(all, Policy{p.Name, p.About, func(st *sim.Station) { st.Admitter = p.New }})
	}
	return append(all, Policy{None, "an unbounded queue, oldest first", func(*sim.Station) {}})
}

func gate(l func() limit.Algorithm) func(*sim.Station) {
	return func(st *sim.Station) { st.Gate = &sim.Gate{Limit: l} }
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
