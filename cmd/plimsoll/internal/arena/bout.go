package arena

import (
	"fmt"
	"math"
	"path"
	"strings"
	"time"

	"github.com/plimsoll-go/plimsoll/cmd/plimsoll/internal/scenario"
	"github.com/plimsoll-go/plimsoll/cmd/plimsoll/internal/strict"
	"github.com/plimsoll-go/plimsoll/sim"
	"github.com/plimsoll-go/plimsoll/sim/optimum"
)

// Bout is one scenario with one setting of its parameters.
type Bout struct {
	Name  string // of the file, and what is set
	About string
	Seeds int
	title string

	stations  []int // where a policy stands
	scenario  sim.Scenario
	optimum   optimal
	worth     func(sim.Offer) float64
	falseShed bool            // nobody has to be refused
	step      time.Duration   // the second after it is told apart; below 0: none is
	trigger   time.Duration   // what it recovers from ends then; below 0: nothing
	slots     int             // 0: what the station says
	changes   []time.Duration // of the capacity, in order
	plot      []string        // policies whose limits are drawn beside the gate's
}

// optimal is the optimum that shares are of.
type optimal struct {
	name string
	of   func(optimum.Instance) float64
}

var optima = []optimal{
	{"size-blind", optimum.SizeBlind},
	{"class-aware", optimum.ClassAware},
	{"clairvoyant", optimum.Fluid},
}

// keys are those of "arena" in a file.
var keys = []string{"stations", "optimum", "worth", "false-shed", "step", "trigger", "slots", "over", "changes", "plot"}

// Bouts are those that a file asks for under the key "arena". The error is
// [strict.Faults].
func Bouts(f *scenario.File) ([]Bout, error) {
	r := &reader{file: f}
	b := Bout{Name: base(f), title: f.Name, About: f.About, Seeds: f.Seeds, step: -1, trigger: -1, optimum: optima[0]}
	over := ""
	values := []float64{math.NaN()}
	r.Object(f.Arena, keys, func(key string, v strict.Value) {
		switch key {
		case "stations":
			r.List(v, "names of stations", func(v strict.Value) { r.names = append(r.names, v) })
		case "optimum":
			names := []string{optima[0].name, optima[1].name, optima[2].name}
			strict.Choice(&r.Reader, v, names, optima, &b.optimum)
		case "worth":
			strict.Choice(&r.Reader, v, []string{"criticality"}, []func(sim.Offer) float64{optimum.Lexicographic}, &b.worth)
		case "false-shed":
			r.Truth(v, &b.falseShed)
		case "step":
			r.Duration(v, true, &b.step)
		case "trigger":
			r.Duration(v, true, &b.trigger)
		case "slots":
			r.Number(v, 1, 1<<20, "", &b.slots)
		case "changes":
			r.List(v, "times in order", func(v strict.Value) { r.change(v, &b.changes) })
		case "plot":
			r.List(v, "names of policies", func(v strict.Value) { r.policy(v, &b.plot) })
		case "over":
			over, values = r.over(v)
		}
	})
	var bouts []Bout
	for _, value := range values {
		one := b
		set := map[string]float64{}
		if over != "" {
			set[over] = value
			one.Name = fmt.Sprintf("%s %s=%g", base(f), over, value)
		}
		if r.build(&one, set) {
			bouts = append(bouts, one)
		}
	}
	return bouts, r.Faults.Err()
}

// reader reads what a file says under "arena".
type reader struct {
	strict.Reader
	file  *scenario.File
	names []strict.Value
}

// change reads when the capacity changes.
func (r *reader) change(v strict.Value, to *[]time.Duration) {
	before, at := len(r.Faults), time.Duration(0)
	r.Duration(v, true, &at)
	if n := len(*to); len(r.Faults) == before && n > 0 && at < (*to)[n-1]+2*time.Second {
		r.WantNot(v, "a time two seconds after the one before it, or later")
	}
	*to = append(*to, at)
}

// policy reads the name of one.
func (r *reader) policy(v strict.Value, to *[]string) {
	names := Names(Policies())
	name := ""
	strict.Choice(&r.Reader, v, names, names, &name)
	*to = append(*to, name)
}

// over reads the values of the one parameter that a file varies.
func (r *reader) over(v strict.Value) (name string, values []float64) {
	r.Named(v, "parameters", func(n string, v strict.Value) {
		name = n
		r.List(v, "numbers", func(v strict.Value) {
			var x float64
			if _, err := fmt.Sscan(v.Text, &x); err != nil || !v.Scalar("!!int", "!!float") {
				r.WantNot(v, "a number")
			}
			values = append(values, x)
		})
	})
	return name, values
}

// build makes the scenario of a bout.
func (r *reader) build(b *Bout, set map[string]float64) bool {
	plan, err := r.file.Build("", set)
	if err != nil {
		more, _ := strict.FaultsOf(err)
		r.Faults = append(r.Faults, more...)
		return false
	}
	b.scenario = plan.Scenario
	for _, v := range r.names {
		before := len(b.stations)
		for i := range plan.Stations {
			if plan.Stations[i].Name == v.Text {
				b.stations = append(b.stations, i)
			}
		}
		if len(b.stations) == before {
			r.WantNot(v, "the name of a station")
		}
	}
	if len(r.names) == 0 {
		b.stations = []int{0}
	}
	return len(r.Faults) == 0
}

// under is the scenario with a policy in front.
func (b *Bout) under(p Policy) sim.Scenario {
	s := b.scenario
	s.Stations = append([]sim.Station(nil), s.Stations...)
	for _, i := range b.stations {
		p.place(&s.Stations[i])
		if g := s.Stations[i].Gate; p.Name == "fixed" && b.slots > 0 {
			g.Limit = sim.Fixed(b.slots)
		}
	}
	return s
}

// Optimum is the name of the optimum that its shares are of.
func (b *Bout) Optimum() string { return b.optimum.name }

// base is the name of a file, without where it lies and what it is.
func base(f *scenario.File) string {
	return strings.TrimSuffix(path.Base(f.Path), ".yaml")
}
