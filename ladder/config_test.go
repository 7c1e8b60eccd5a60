package ladder

import (
	"math"
	"strings"
	"testing"

	"github.com/plimsoll-go/plimsoll/class"
)

// TestValidate: every fault at once, each with its place.
func TestValidate(t *testing.T) {
	if err := checkout().Validate(); err != nil {
		t.Error(err)
	}
	all := []class.Criticality{class.Sheddable, class.SheddablePlus, class.Critical, class.CriticalPlus}
	for name, tc := range map[string]struct {
		c    Config
		want string // fields, in order
	}{
		"nothing":           {Config{}, "Tiers"},
		"too many":          {Config{Tiers: make([]Tier, 17)}, "Tiers"},
		"no threshold":      {Config{Tiers: []Tier{{Name: "a"}}}, "On"},
		"out of order":      {Config{Tiers: []Tier{{Name: "a", On: 2}, {Name: "b", On: 1}}}, "On"},
		"off above on":      {Config{Tiers: []Tier{{Name: "a", On: 2, Off: 2}}}, "Off"},
		"one name twice":    {Config{Tiers: []Tier{{Name: "a", On: 1}, {Name: "a", On: 2}}}, "Name"},
		"a name of nothing": {Config{Tiers: []Tier{{On: 1}}}, "Name"},
		"a name with comma": {Config{Tiers: []Tier{{Name: "a,b", On: 1}}}, "Name"},
		"share":             {Config{Tiers: checkout().Tiers, Exercise: 1.1}, "Exercise"},
		"share, none":       {Config{Tiers: checkout().Tiers, Exercise: math.NaN()}, "Exercise"},
		"and no share":      {Config{Tiers: checkout().Tiers, Exercise: 0.1, NoExercise: true}, "Exercise"},
		"two signals":       {Config{Tiers: []Tier{{Name: "a", On: 1}, {Name: "b", Above: 1}}}, "Above"},
		"both signals":      {Config{Tiers: []Tier{{Name: "a", On: 1, Above: 1}}}, "On"},
		"infinite":          {Config{Tiers: []Tier{{Name: "a", Above: math.Inf(1)}}}, "Above"},
		"below nothing":     {Config{Tiers: []Tier{{Name: "a", On: 1, Below: 1}}}, "Below"},
		"below above":       {Config{Tiers: []Tier{{Name: "a", Above: 1, Below: 1}}}, "Below"},
		"falling signal":    {Config{Tiers: []Tier{{Name: "a", Above: 2}, {Name: "b", Above: 1}}}, "Above"},
		"everybody spared":  {Config{Tiers: []Tier{{Name: "a", On: 1, Spare: all}}}, "Spare"},
		"all at once": {Config{Dwell: -1, Quiet: -1, Exercise: -1, Tiers: []Tier{
			{Name: " ", On: -1, Off: -1, Fallbacks: -1, Spare: []class.Criticality{9}},
			{Name: "b"}, {Name: "b", On: 1},
		}}, "Dwell Quiet Exercise Name On Off Spare Fallbacks On Name"},
	} {
		var got []string
		for _, f := range tc.c.Faults() {
			if name != "too many" || f.Field == "Tiers" {
				got = append(got, f.Field)
			}
		}
		if s := strings.Join(got, " "); s != tc.want {
			t.Errorf("%s: faults in %q, want %q", name, s, tc.want)
		}
		if err := tc.c.Validate(); err == nil || strings.Count(err.Error(), "ladder: ") < len(got) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
