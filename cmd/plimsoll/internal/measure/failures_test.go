package measure_test

import (
	"io/fs"
	"path"
	"slices"
	"strings"
	"testing"

	"github.com/plimsoll-go/plimsoll/cmd/plimsoll/internal/measure"
	"github.com/plimsoll-go/plimsoll/cmd/plimsoll/internal/scenario"
	"github.com/plimsoll-go/plimsoll/scenarios"
)

// TestFailureModes: how limiters are known to fail is seen in those that have
// the fault, and not in the default gate.
func TestFailureModes(t *testing.T) {
	files, err := fs.Glob(scenarios.Files, "failures/*.yaml")
	if err != nil || len(files) < 12 {
		t.Fatalf("%d files, %v", len(files), err)
	}
	for _, name := range files {
		t.Run(strings.TrimSuffix(path.Base(name), ".yaml"), func(t *testing.T) {
			t.Parallel()
			f := shipped(t, name)
			if !slices.Contains(f.Policies, "auto") || len(f.Policies) < 2 {
				t.Errorf("policies %v, want auto, the default gate, and one that fails", f.Policies)
			}
			seen := hold(t, f)
			for _, p := range f.Policies {
				if !seen[p] {
					t.Errorf("nothing is expected of policy %s", p)
				}
			}
		})
	}
}

// TestScenarios: what the scenarios that the program brings with it expect of
// themselves is so.
func TestScenarios(t *testing.T) {
	files, err := fs.Glob(scenarios.Files, "*.yaml")
	if err != nil || len(files) < 6 {
		t.Fatalf("%d files, %v", len(files), err)
	}
	for _, name := range files {
		t.Run(strings.TrimSuffix(name, ".yaml"), func(t *testing.T) {
			t.Parallel()
			hold(t, shipped(t, name))
		})
	}
}

func shipped(t *testing.T, name string) *scenario.File {
	t.Helper()
	data, err := scenarios.Files.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	f, err := scenario.Decode(name, data, nil)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// hold holds a file to what it expects, and returns of which policies that is.
func hold(t *testing.T, f *scenario.File) (policies map[string]bool) {
	t.Helper()
	all, err := measure.Of(f)
	if err != nil {
		t.Fatal(err)
	}
	verdicts, err := measure.Evaluate(all, f.Seeds, measure.From(f, nil), nil)
	if err != nil {
		t.Fatal(err)
	}
	policies = map[string]bool{}
	for i := range verdicts {
		v := &verdicts[i]
		policies[v.Of.Figure.Policy] = true
		t.Logf("line %d, %s: %s %.4g", v.Of.Line, v.Of.Figure.Policy, v.Of.Figure.Measure, v.Value)
		if !v.OK {
			t.Errorf("line %d: it is not as expected", v.Of.Line)
		}
	}
	return policies
}
