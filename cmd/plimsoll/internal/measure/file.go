package measure

import (
	"slices"

	"github.com/plimsoll-go/plimsoll/cmd/plimsoll/internal/scenario"
	"github.com/plimsoll-go/plimsoll/cmd/plimsoll/internal/strict"
	"github.com/plimsoll-go/plimsoll/sim"
)

// Of reads what a scenario file expects: nothing where it says nothing. The
// error is [strict.Faults].
func Of(f *scenario.File) ([]Expectation, error) {
	if f.Expect.Node == nil {
		return nil, nil
	}
	plan, err := f.Build(f.Default(), nil)
	if err != nil {
		return nil, err
	}
	known := Known{Policies: f.Policies, Parameters: []string{}, Stations: []string{}, Sources: []string{}, Kinds: []string{}, Tenants: []string{}}
	for _, p := range f.Parameters {
		known.Parameters = append(known.Parameters, p.Name)
	}
	for _, s := range plan.Stations {
		known.Stations = append(known.Stations, s.Name)
	}
	for _, s := range plan.Sources {
		known.Sources = append(known.Sources, s.Name)
		for _, k := range s.Kinds {
			known.Kinds = with(known.Kinds, k.Name)
			known.Tenants = with(known.Tenants, k.Tenant)
		}
		for _, r := range s.Records {
			known.Tenants = with(known.Tenants, r.Tenant)
		}
	}
	var r strict.Reader
	all := Decode(&r, f.Expect, known)
	return all, r.Faults.Err()
}

// with adds a name that is not there yet.
func with(names []string, name string) []string {
	if name == "" || slices.Contains(names, name) {
		return names
	}
	return append(names, name)
}

// From plays a scenario file. Scale multiplies parameters, whatever they are
// set to; nil: none.
func From(f *scenario.File, scale map[string]float64) Play {
	return func(policy string, with map[string]float64, seed uint64) (*Run, error) {
		set := map[string]float64{}
		for _, p := range f.Parameters {
			v, given := with[p.Name]
			by, scaled := scale[p.Name]
			switch {
			case given && scaled:
				set[p.Name] = v * by
			case given:
				set[p.Name] = v
			case scaled:
				set[p.Name] = p.Value * by
			}
		}
		if policy == "" {
			policy = f.Default()
		}
		plan, err := f.Build(policy, set)
		if err != nil {
			return nil, err
		}
		report, err := sim.Run(plan.Scenario, seed)
		if err != nil {
			return nil, err
		}
		return &Run{Scenario: &plan.Scenario, Report: report, Capacity: plan.Capacity}, nil
	}
}
