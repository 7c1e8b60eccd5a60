package arena

import (
	"io/fs"
	"path"
	"testing"

	"github.com/plimsoll-go/plimsoll/cmd/plimsoll/internal/scenario"
	"github.com/plimsoll-go/plimsoll/scenarios"
)

func suite(t *testing.T) []Bout {
	t.Helper()
	names, err := fs.Glob(scenarios.Files, "arena/*.yaml")
	if err != nil || len(names) == 0 {
		t.Fatal("no suite", err)
	}
	var all []Bout
	for _, name := range names {
		data, _ := fs.ReadFile(scenarios.Files, name)
		f, err := scenario.Decode(path.Base(name), data, nil)
		if err != nil {
			t.Fatal(err)
		}
		bouts, err := Bouts(f)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, bouts...)
	}
	return all
}

func TestSuite(t *testing.T) {
	bouts := suite(t)
	scores, err := Play(bouts, Policies(), 1, func(*Bout) int { return 1 }, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range scores {
		t.Logf("%-24s %-22s %6.1f %v", s.Scenario, s.Policy, 100*s.Goodput, s.FalseShed)
	}
}
