package reference

import (
	"encoding/json"
	"io/fs"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/plimsoll-go/plimsoll/cmd/plimsoll/internal/measure"
	"github.com/plimsoll-go/plimsoll/cmd/plimsoll/internal/scenario"
	"github.com/plimsoll-go/plimsoll/scenarios"
)

// shipped are the cases that the program brings with it.
func shipped(t *testing.T) []kase {
	t.Helper()
	dir, err := fs.Sub(scenarios.Files, "reference")
	if err != nil {
		t.Fatal(err)
	}
	cases, err := load(dir, "scenarios/reference", nil)
	if err != nil {
		t.Fatal(err)
	}
	return cases
}

// known are the figures that the gate is known to miss: none may be added
// unnoticed, and none may stay that it no longer misses.
var known = []string{}

// long reports whether a case takes some seconds.
func long(c kase) bool { return slices.Contains([]string{"R01", "R10", "R27", "R28", "R31"}, c.id) }

// TestReference plays every case.
func TestReference(t *testing.T) {
	var missed []string
	for _, c := range shipped(t) {
		if testing.Short() && long(c) {
			continue
		}
		r, err := c.play(options{})
		if err != nil {
			t.Errorf("%s: %v", c.id, err)
			continue
		}
		for i := range r.verdicts {
			v := &r.verdicts[i]
			name := c.id + "/" + v.Of.Name
			if v.Of.Pending != "" || v.OK {
				continue
			}
			missed = append(missed, name)
			if !slices.Contains(known, name) {
				t.Errorf("%s: %s, want %s", name, v.Had(), v.Of.Wanted())
			}
		}
	}
	for _, name := range known {
		if !slices.Contains(missed, name) {
			t.Errorf("%s is no longer missed", name)
		}
	}
}

// TestFiguresFollowTheirInputs changes parameters of every file by 10 %, one at
// a time: the figures change.
func TestFiguresFollowTheirInputs(t *testing.T) {
	for _, c := range shipped(t) {
		if testing.Short() && long(c) {
			continue
		}
		for i, f := range c.files {
			t.Run(strings.TrimSuffix(f.Path[len("scenarios/reference/"):], ".yaml"), func(t *testing.T) {
				t.Parallel()
				if moved(t, f, ofOneRun(c.expected[i])) || moved(t, f, c.expected[i]) {
					return
				}
				t.Error("no parameter changes a figure")
			})
		}
	}
}

// ofOneRun are the figures that are taken from the same run as the first. They
// tell in most files.
func ofOneRun(all []measure.Expectation) []measure.Expectation {
	var out []measure.Expectation
	for _, e := range all {
		if e.Figure.Policy == all[0].Figure.Policy && maps.Equal(e.Figure.With, all[0].Figure.With) {
			out = append(out, e)
		}
	}
	return out
}

// moved reports whether a parameter of f, changed by 10 %, changes a figure.
func moved(t *testing.T, f *scenario.File, figures []measure.Expectation) bool {
	t.Helper()
	before, err := got(figures, measure.From(f, nil))
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range f.Parameters {
		after, err := got(figures, measure.From(f, map[string]float64{p.Name: 1.1}))
		switch {
		case err != nil: // 8.8 workers
			t.Logf("%s cannot be changed by 10 %%: %v", p.Name, err)
		case after == before:
			t.Logf("%s changes nothing of %d figures", p.Name, len(figures))
		default:
			return true
		}
	}
	return false
}

// got is the figures of a file as text, of one seed.
func got(all []measure.Expectation, play measure.Play) (string, error) {
	verdicts, err := measure.Evaluate(all, 1, play, nil)
	if err != nil {
		return "", err
	}
	text, err := json.Marshal(measure.Lay(verdicts).Got)
	return string(text), err
}
