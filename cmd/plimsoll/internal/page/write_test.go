package page

import (
	"errors"
	"io"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/plimsoll-go/plimsoll/class"
	"github.com/plimsoll-go/plimsoll/internal/golden"
	"github.com/plimsoll-go/plimsoll/sim"
)

const ms = time.Millisecond

// overload is six seconds of twice what can be served.
func overload(g *sim.Gate) sim.Scenario {
	s := sim.Scenario{
		Name: "overload", Length: 6 * time.Second,
		Stations: []sim.Station{{Name: "backend", Workers: 1, Gate: g}},
	}
	for _, c := range []class.Criticality{class.Critical, class.Sheddable} {
		s.Sources = append(s.Sources, sim.Source{
			Name: c.String(), Arrivals: sim.Constant{Rate: 100},
			Kinds: []sim.Kind{{Service: sim.Deterministic(10 * ms), Criticality: c, Client: sim.Client{Patience: 400 * ms}}},
		})
	}
	return s
}

func play(t *testing.T, s sim.Scenario) *sim.Report {
	t.Helper()
	r, err := sim.Run(s, 1)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func document(t *testing.T) Document {
	return Document{
		Name: "twice what it can serve", About: "A backend of 100 requests a second.", Source: "arithmetic",
		Parameters: []Parameter{{"load", "2"}}, Command: "plimsoll sim compare overload.yaml --html overload.html",
		Runs: []Run{
			{Policy: "unbounded", Seed: 1, Capacity: 100, Report: play(t, overload(nil))},
			{Policy: "fixed", Seed: 1, Capacity: 100, Report: play(t, overload(&sim.Gate{Limit: sim.Fixed(1)}))},
		},
		Verdicts: []Verdict{
			{"goodput after 3 s", "unbounded", "0", "0", true},
			{"goodput after 3 s", "fixed", "at least 99 %", "98 %", false},
		},
	}
}

func written(t *testing.T, d Document) string {
	t.Helper()
	var b strings.Builder
	if err := Write(&b, d); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestPageIsAsItWas(t *testing.T) { golden.File(t, "testdata/runs.html", written(t, document(t))) }

// TestPageStandsAlone: nothing is loaded from anywhere.
func TestPageStandsAlone(t *testing.T) {
	got := written(t, document(t))
	alone(t, got)
	for _, want := range []string{
		"<title>twice what it can serve", "plimsoll sim compare overload.yaml", "1 of 2 held", "✗ missed",
		"prefers-color-scheme:dark", `lang="en"`, "SHEDDABLE", ">hopeless<",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("no %q on the page", want)
		}
	}
	drawn := regexp.MustCompile(`<svg [^>]*role="img" aria-labelledby="(\w+) (\w+)"`).FindAllStringSubmatch(got, -1)
	if len(drawn) != 10 { // five measures of two runs
		t.Errorf("%d plots, want 10", len(drawn))
	}
}

// TestPageEscapes: whatever a file calls things, they are text.
func TestPageEscapes(t *testing.T) {
	const evil = `<script>alert(1)</script>"'&<b>`
	d := document(t)
	d.Name, d.About, d.Source, d.Command = evil, evil, evil, evil
	d.Parameters = []Parameter{{evil, evil}}
	d.Verdicts = []Verdict{{evil, evil, evil, evil, true}}
	for i := range d.Runs {
		d.Runs[i].Policy = evil
		r := *d.Runs[i].Report
		r.Kinds = append([]sim.KindReport{}, r.Kinds...)
		r.Kinds[0].Source, r.Kinds[0].Kind = evil, evil
		r.Stations = append([]sim.StationReport{}, r.Stations...)
		r.Stations[0].Station = evil
		r.Stations = append(r.Stations, r.Stations[0])
		d.Runs[i].Report = &r
	}
	got := written(t, d)
	if n := strings.Count(got, "<script>"); n != 1 {
		t.Errorf("%d scripts, want the page's own", n)
	}
	if strings.Contains(got, "alert(1)</script>") || strings.Contains(got, "<b>\n") {
		t.Error("a name was not escaped")
	}
}

// TestPageOfLittle: what a document leaves out is left out.
func TestPageOfLittle(t *testing.T) {
	for name, d := range map[string]Document{
		"nothing":  {},
		"no time":  {Runs: []Run{{Report: &sim.Report{}}}},
		"no load":  {Runs: []Run{{Report: play(t, sim.Scenario{Length: time.Second, Stations: []sim.Station{{}}, Sources: []sim.Source{{Arrivals: sim.Batch{}, Kinds: []sim.Kind{{Service: sim.Deterministic(0)}}}}})}}},
		"one seed": {Runs: []Run{{Seed: 3, Report: play(t, overload(nil))}}},
	} {
		if got := written(t, d); !strings.HasSuffix(got, "</html>\n") || strings.Contains(got, "NaN") || strings.Contains(got, "Inf") {
			t.Errorf("%s: not a whole page", name)
		}
	}
}

// TestManyRuns: all are in the tables, the first of each policy is drawn.
func TestManyRuns(t *testing.T) {
	d := document(t)
	r := d.Runs[0]
	d.Runs = nil
	for seed := range uint64(20) {
		for _, policy := range []string{"a", "b"} {
			d.Runs = append(d.Runs, Run{Policy: policy, Seed: seed, Report: r.Report})
		}
	}
	got := written(t, d)
	for _, want := range []string{"2 of 40 runs are drawn", ">a, seed 0<", ">b, seed 19<", "0 … 19 (20)"} {
		if !strings.Contains(got, want) {
			t.Errorf("no %q", want)
		}
	}
}

// TestLongRuns: a line does not grow with the run.
func TestLongRuns(t *testing.T) {
	s := overload(&sim.Gate{})
	s.Bucket = 10 * ms
	r := play(t, s)
	got := newSeries(r, 6*time.Second)
	if n := len(got.points); n > mostPoints || n < mostPoints/2 {
		t.Errorf("%d points", n)
	}
	var all, thin sim.Point
	all = r.Sum(0, 6*time.Second)
	for _, p := range got.points {
		thin.Offered, thin.Good = thin.Offered+p.Offered, thin.Good+p.Good
	}
	if thin.Offered != all.Offered || thin.Good != all.Good {
		t.Errorf("%d offered and %d good, want %d and %d", thin.Offered, thin.Good, all.Offered, all.Good)
	}
	for _, v := range got.perSecond(func(p sim.Point) uint64 { return p.Offered }) {
		if v < 190 || v > 210 {
			t.Errorf("%v/s offered, want 200", v)
		}
	}
}

type full struct{}

func (full) Write([]byte) (int, error) { return 0, errors.New("full") }

func TestWriteTellsOfTheWriter(t *testing.T) {
	if err := Write(full{}, document(t)); err == nil || errors.Is(err, io.EOF) {
		t.Errorf("got %v", err)
	}
}
