package telemetry

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/plimsoll-go/plimsoll"
	"github.com/plimsoll-go/plimsoll/internal/golden"
)

// The page for whoever is on call has every metric, with its labels and what it
// is; every alert; every outcome and reason; and no others.
func TestWatchPage(t *testing.T) {
	const page, begin, end = "../../../../docs/watch.md", "-update -->\n", "<!-- end of metrics -->"
	raw, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	text := string(raw)
	before, rest, ok := strings.Cut(text, begin)
	_, after, ok2 := strings.Cut(rest, end)
	if !ok || !ok2 {
		t.Fatal("no list of metrics")
	}
	golden.File(t, page, before+begin+metricTable()+end+after)

	var alerts []string
	for line := range strings.Lines(text) {
		if name, ok := strings.CutPrefix(line, "### "); ok {
			alerts = append(alerts, strings.TrimSpace(name))
		}
	}
	slices.Sort(alerts)
	if want := alertNames(t); !slices.Equal(alerts, want) {
		t.Errorf("the page has the alerts %q, and there are %q", alerts, want)
	}

	outcomes, reasons := []string{"late", "refused"}, []string{BreakerOpen}
	for o := range plimsoll.Outcome(plimsoll.NumOutcomes) {
		outcomes = append(outcomes, o.String())
	}
	for r := plimsoll.Reason(1); int(r) < plimsoll.NumReasons; r++ {
		reasons = append(reasons, r.String())
	}
	for head, want := range map[string][]string{"| outcome | |": outcomes, "| reason | |": reasons} {
		have := firstColumn(text, head)
		slices.Sort(have)
		slices.Sort(want)
		if !slices.Equal(have, want) {
			t.Errorf("%s: %q, want %q", head, have, want)
		}
	}
}

// metricTable is the list of metrics as the page has it.
func metricTable() string {
	var out strings.Builder
	out.WriteString("| metric | labels | |\n|---|---|---|\n")
	for _, m := range metrics {
		kind := [...]string{counter: "", gauge: "", histogram: "Histogram: "}[m.kind]
		labels := "–"
		if len(m.labels) > 0 {
			labels = strings.Join(m.labels, ", ")
		}
		fmt.Fprintf(&out, "| `%s` | %s | %s%s |\n", m.prometheusName(), labels, kind, m.help)
	}
	return out.String()
}

// firstColumn lists the names in the first column of a table.
func firstColumn(text, head string) (out []string) {
	_, table, _ := strings.Cut(text, head+"\n|---|---|\n")
	for line := range strings.Lines(table) {
		name, ok := strings.CutPrefix(line, "| `")
		if !ok {
			break
		}
		name, _, _ = strings.Cut(name, "`")
		out = append(out, name)
	}
	return out
}
