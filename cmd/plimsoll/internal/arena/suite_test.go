package arena

import (
	"bytes"
	"errors"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/plimsoll-go/plimsoll/cmd/plimsoll/internal/scenario"
)

// play plays a part of the suite.
func play(t *testing.T, seeds int, policies []string, files ...string) []Row {
	t.Helper()
	bouts, err := Suite(files)
	if err != nil {
		t.Fatal(err)
	}
	chosen := slices.DeleteFunc(Policies(), func(p Policy) bool { return !slices.Contains(policies, p.Name) })
	var tasks []Task
	for i := range bouts {
		tasks = append(tasks, Task{&bouts[i], chosen, Tuning, seeds, true})
	}
	scores, err := Play(tasks, func() {})
	if err != nil {
		t.Fatal(err)
	}
	again, err := Play(tasks, func() {})
	if err != nil || scores[0].Goodput != again[0].Goodput || scores[len(scores)-1].P99 != again[len(again)-1].P99 {
		t.Errorf("a second time it came to something else: %v", err)
	}
	return Sum(scores, chosen)
}

// Nobody is better than what was possible, and the gate is near it where an
// unbounded queue has nothing.
func TestShares(t *testing.T) {
	policies := []string{Auto, "failsafe", None}
	rows := play(t, 1, policies, "halves", "low-traffic")
	if len(rows) != 2 || rows[0].Scenario != "halves" || rows[1].Scenario != "low-traffic" {
		t.Fatalf("rows %+v", rows)
	}
	for _, r := range rows {
		for i, c := range r.Cells {
			if c.Goodput.Value > 1.01 {
				t.Errorf("%s: %s has %.3f of the possible", r.Scenario, policies[i], c.Goodput.Value)
			}
		}
	}
	halves, low := rows[0], rows[1]
	if halves.Best != 0 || halves.Cells[0].Goodput.Value < 0.95 || halves.Cells[2].Goodput.Value > 0.7 {
		t.Errorf("half of the workers: %+v", halves)
	}
	if c := low.Cells[0]; c.FalseShed.N != 1 || c.FalseShed.Value > 0.001 {
		t.Errorf("three requests a second: %+v", c)
	}
	var text, page bytes.Buffer
	if err := errors.Join(WriteText(&text, rows, policies), WritePage(&page, nil, rows, nil, "x", "x")); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(text.String(), "met") || !strings.Contains(text.String(), "*") {
		t.Errorf("no target or no best in\n%s", text.String())
	}
}

func TestMeans(t *testing.T) {
	if m := meanOf([]float64{1, 2, 3}); m.Value != 2 || m.Spread < 2.48 || m.Spread > 2.49 {
		t.Errorf("mean %+v, want 2 within 2.484", m)
	}
	if m := meanOf(nil); m.N != 0 {
		t.Errorf("a mean of nothing: %+v", m)
	}
}

func TestSuiteIsWithoutFaults(t *testing.T) {
	bouts, err := Suite(nil)
	if err != nil || len(bouts) < 25 {
		t.Errorf("%d bouts, %v", len(bouts), err)
	}
	if _, err := Suite([]string{"nobody"}); err == nil || !strings.Contains(err.Error(), "steady") {
		t.Errorf("have %v, want the names that there are", err)
	}
}

// The page of the format lists every key.
func TestDocsHaveEveryKey(t *testing.T) {
	page, err := os.ReadFile("../../../../docs/scenarios.md")
	if err != nil {
		t.Fatal(err)
	}
	_, part, _ := strings.Cut(string(page), "### `arena`")
	part, _, _ = strings.Cut(part, "\n## ")
	for _, key := range keys {
		if !strings.Contains(part, "| `"+key+"` |") {
			t.Errorf("no %s", key)
		}
	}
}

// All that is wrong with what a file says is named, each with its line.
func TestFaults(t *testing.T) {
	f, err := scenario.Decode("x.yaml", []byte(`length: 1s
stations: {a: {workers: 1}}
sources: {s: {arrivals: {poisson: 1}, service: 1ms}}
arena:
  stations: [b]
  optimum: best
  false-shed: perhaps
  step: 3
  over: {load: [x]}
  nonsense: 1
  changes: [3s, 4s]
  plot: [auto, nobody]
`), nil)
	if err != nil {
		t.Fatal(err)
	}
	_, err = Bouts(f)
	for _, line := range []string{"x.yaml:6:", "x.yaml:7:", "x.yaml:8:", "x.yaml:9:", "x.yaml:10:", "x.yaml:11:", "x.yaml:12:", "parameters.load"} {
		if err == nil || !strings.Contains(err.Error(), line) {
			t.Errorf("nothing about %s in\n%v", line, err)
		}
	}
}
