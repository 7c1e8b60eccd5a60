package peers

import (
	"github.com/plimsoll-go/plimsoll/limit"
	"github.com/plimsoll-go/plimsoll/sim"
)

// Peer is a limiter by its name.
type Peer struct {
	Name  string
	About string // whose it is, in a few words
	New   func() sim.Admitter
}

// All are the peers, each with what it is when nothing is configured.
var All = []Peer{
	{"netflix-vegas", "Netflix concurrency-limits, its default: Vegas of every request", func() sim.Admitter { return NewVegas(1) }},
	{"netflix-vegas-windowed", "Netflix concurrency-limits: Vegas over windows", func() sim.Admitter { return NewWindowed(limit.NewVegas(limit.VegasConfig{})) }},
	{"netflix-gradient", "Netflix concurrency-limits: Gradient over windows", func() sim.Admitter { return NewWindowed(limit.NewGradient(limit.GradientConfig{})) }},
	{"netflix-gradient2", "Netflix concurrency-limits: Gradient2 over windows", func() sim.Admitter { return NewWindowed(limit.NewGradient2(limit.Gradient2Config{})) }},
	{"netflix-aimd", "Netflix concurrency-limits: AIMD over windows", func() sim.Admitter { return NewWindowed(limit.NewAIMD(limit.AIMDConfig{})) }},
	{"envoy", "Envoy's adaptive concurrency filter", func() sim.Admitter { return NewEnvoy() }},
	{"failsafe", "failsafe-go's adaptive limiter with queueing", func() sim.Admitter { return NewFailsafe(1) }},
	{"bbr", "go-kratos aegis, with an ideal processor load", func() sim.Admitter { return NewBBR() }},
	{"folly-codel", "folly's Codel in front of the workers' queue", func() sim.Admitter { return NewCodel() }},
	{"dagor", "WeChat's DAGOR", func() sim.Admitter { return NewDAGOR() }},
	{"pid", "a PID rejector after Uber's Cinnamon", func() sim.Admitter { return NewPID() }},
}

// Faulty are limiters with a fault that has been met in the field, to show it.
var Faulty = []Peer{
	{"codel-lifo", "folly's Codel, with newest first while it drops", func() sim.Admitter { return NewCodelLIFO() }},
	{"leaky", "a limit of 64 whose permit is lost with a caller who leaves", func() sim.Admitter { return NewLeaky() }},
	{"early-release", "a limit of 64 whose permit is given back when its caller leaves", func() sim.Admitter { return NewEarly() }},
}
