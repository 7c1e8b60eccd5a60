package simulate

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/plimsoll-go/plimsoll/cmd/plimsoll/internal/scenario"
	"github.com/plimsoll-go/plimsoll/cmd/plimsoll/internal/strict"
)

// Input is what the commands that play a scenario have in common.
type Input struct {
	File  string   `arg:"" placeholder:"FILE" help:"A scenario file, or the name of one that the program brings with it (plimsoll sim list)."`
	Seed  uint64   `default:"1" placeholder:"N" help:"The first seed of the random numbers. Default: 1."`
	Seeds string   `placeholder:"N" help:"How many seeds to play, from --seed on. Default: as many as the file says."`
	Set   []string `placeholder:"NAME=VALUE" help:"Give a parameter of the file another value."`
}

// setup is what is to be played, checked.
type setup struct {
	file  *scenario.File
	seeds []uint64
	set   map[string]float64
}

const mostSeeds = 10_000

// read reads the flags and the file, with all faults of both.
func (in *Input) read() (setup, strict.Faults, error) {
	var s setup
	f, err := Find(in.File)
	faults, ok := strict.FaultsOf(err)
	if err != nil && !ok {
		return s, nil, err
	}
	n := 1
	if f != nil {
		n = f.Seeds
	}
	if in.Seeds != "" {
		var bad error
		if n, bad = strconv.Atoi(in.Seeds); bad != nil || n < 1 || n > mostSeeds {
			faults = append(faults, strict.Fault{Key: "--seeds", Want: fmt.Sprintf("want a whole number from 1 to %d, have %s", mostSeeds, in.Seeds)})
			n = 0
		}
	}
	for i := range n {
		s.seeds = append(s.seeds, in.Seed+uint64(i))
	}
	s.file = f
	s.set, faults = in.parameters(f, faults)
	return s, faults, nil
}

// parameters reads --set.
func (in *Input) parameters(f *scenario.File, faults strict.Faults) (map[string]float64, strict.Faults) {
	set := map[string]float64{}
	for _, text := range in.Set {
		name, value, _ := strings.Cut(text, "=")
		v, err := strconv.ParseFloat(value, 64)
		switch {
		case err != nil || math.IsInf(v, 0) || math.IsNaN(v):
			faults = append(faults, strict.Fault{Key: "--set", Want: "want a parameter and a number, such as load=2, have " + text})
		case f != nil && !has(f.Parameters, name):
			var known []string
			for _, p := range f.Parameters {
				known = append(known, p.Name)
			}
			want := "want a parameter of the file (" + strings.Join(known, ", ") + "), have " + text
			if known == nil {
				want = "want nothing: the file has no parameters, have " + text
			}
			faults = append(faults, strict.Fault{Key: "--set", Want: want})
		default:
			set[name] = v
		}
	}
	return set, faults
}

func has(parameters []scenario.Parameter, name string) bool {
	for _, p := range parameters {
		if p.Name == name {
			return true
		}
	}
	return false
}

// wrongPolicy is the fault of a policy that the file does not have.
func wrongPolicy(f *scenario.File, name string) strict.Fault {
	want := "want a policy of the file (" + strings.Join(f.Policies, ", ") + "), have " + name
	if len(f.Policies) == 0 {
		want = "want nothing: the file has no policies, have " + name
	}
	return strict.Fault{Key: "--policy", Want: want}
}

// plans builds the scenario of each policy, with all faults of all.
func (s *setup) plans(policies []string) ([]scenario.Plan, strict.Faults) {
	var plans []scenario.Plan
	var faults strict.Faults
	seen := map[strict.Fault]bool{}
	for _, policy := range policies {
		p, err := s.file.Build(policy, s.set)
		more, _ := strict.FaultsOf(err)
		for _, f := range more {
			if !seen[f] {
				seen[f] = true
				faults = append(faults, f)
			}
		}
		plans = append(plans, p)
	}
	return plans, faults
}
