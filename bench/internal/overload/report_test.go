package overload

import (
	"encoding/json"
	"strings"
	"testing"
	"time"
)

func scripted() *Report {
	figures := func(name string, of, worst float64) Figures {
		return Figures{Policy: name, Offered: 800, Goodput: 400 * of, Capacity: 400, OfCapacity: of, Worst: worst, Refused: 0.5, P50: 60, P99: 200, Processors: 1.5}
	}
	r := &Report{Go: "go1.26", Platform: "linux/amd64", Processors: 2, Rounds: 2, Length: 120, SpinLength: 40, Load: 2, Deadline: 1, Busy: Busy{"0.10", "1.90"}}
	r.Slots = Gather([][]Figures{
		{figures(Plimsoll, 1, 0.96), figures(Nothing, 0, 0), figures(Control, 1, 0.95)},
		{figures(Plimsoll, 0.99, 0.9), figures(Nothing, 0, 0), figures(Control, 1, 0.95)},
	})
	r.Spin = Gather([][]Figures{{figures(Plimsoll, 0.93, 0.5)}})
	r.Judge()
	return r
}

func TestReportTellsWhatWasMeasured(t *testing.T) {
	text, page := scripted().Text(), scripted().Markdown("make overload")
	for _, want := range []string{
		"go1.26 on linux/amd64, 2 processors", "Load average of the machine before 0.10, after 1.90",
		"8 slots of 20ms, 120 s", "spins for 2ms, 40 s", "99.5 %", "MISSED", "held",
		"had a second of 95 % of its mean", "took up to 25 % of the processors",
	} {
		if !strings.Contains(text, want) || !strings.Contains(page, want) {
			t.Errorf("no %q in\n%s\n%s", want, text, page)
		}
	}
	if !strings.HasPrefix(page, "# ") || !strings.Contains(page, "Measured by `make overload`") ||
		!strings.Contains(page, "| plimsoll | 800 | 400 | 398 | 99.5 % | 93.0 % | 50.0 % | 0.0 % | 60 ms | 200 ms |") {
		t.Error(page)
	}
}

func TestJudge(t *testing.T) {
	var got []bool
	for _, c := range scripted().Targets {
		got = append(got, c.Held)
	}
	if len(got) != 3 || !got[0] || got[2] {
		t.Errorf("held: %v", got)
	}
}

func TestReportIsJSON(t *testing.T) {
	b, err := json.Marshal(scripted())
	if err != nil {
		t.Fatal(err)
	}
	var back Report
	if err := json.Unmarshal(b, &back); err != nil || back.Slots[0].Median.OfCapacity != 0.995 || len(back.Slots[0].Rounds) != 2 {
		t.Errorf("%v: %s", err, b)
	}
}

func TestValidateReportsEveryFault(t *testing.T) {
	if got := (Plan{}).Validate(); len(got) != 4 {
		t.Errorf("%q", got)
	}
	if got := (Plan{Length: time.Minute, Measure: 1, Load: 2, Deadline: 1}).Validate(); len(got) != 0 {
		t.Errorf("%q", got)
	}
}
