package live

import (
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"

	"github.com/plimsoll-go/plimsoll/bench/internal/fronts"
	"github.com/plimsoll-go/plimsoll/internal/golden"
)

// TestMain lets the test's binary be the parts.
func TestMain(m *testing.M) {
	if part, err := Role(os.Args[1:], known, os.Stdin, os.Stdout); part {
		if err != nil {
			panic(err)
		}
		return
	}
	os.Exit(m.Run())
}

var known = fronts.Facts{Slots: 4, Service: 20 * time.Millisecond, Deadline: time.Second}

func TestRows(t *testing.T) {
	rows := Rows(Lengths{2, 7, 4})
	var names []string
	for _, r := range rows {
		names = append(names, r.Name)
		if from, to := r.measured(); from != 2 || to != 9 || sum(r.Mix[:]) < 0.999 || sum(r.Mix[:]) > 1.001 {
			t.Errorf("%s: measured from %d to %d, %v", r.Name, from, to, r.Mix)
		}
		if len(r.capacities(100)) != r.Seconds() || len(r.changes(time.Second)) != len(r.Phases) {
			t.Errorf("%s: a capacity for each second, a change for each phase", r.Name)
		}
	}
	if got := strings.Join(names, " "); got != "0.7x 1x 1.5x 2x 4x 10x half slower retries backoff flood" {
		t.Error(got)
	}
	if got := rows[3].schedule(460); got != "step 322.0/s:2s, 920.0/s:7s, 322.0/s:4s" {
		t.Error(got)
	}
	half := rows[6]
	if c := half.capacities(460); c[1] != 460 || c[2] != 230 || c[8] != 230 || c[9] != 460 {
		t.Error(c)
	}
	if c := half.changes(10 * time.Millisecond); c[1].After != 2*time.Second || c[1].Holds != 20*time.Millisecond || c[2].Holds != 10*time.Millisecond {
		t.Error(c)
	}
	if c := rows[7].changes(time.Second); c[1].Delay != downstream || rows[7].recovers() {
		t.Error(c)
	}
}

func TestArguments(t *testing.T) {
	rows := Rows(Lengths{1, 2, 1})
	for i, want := range map[int]string{
		0: "load U --rate step 70.0/s:1s, 70.0/s:2s, 70.0/s:1s --deadline 1s --seed 3 --json - --quiet --class CRITICAL_PLUS:0.1 --class CRITICAL:0.6 --class SHEDDABLE:0.3",
		9: "load U --rate step 70.0/s:1s, 150.0/s:2s, 70.0/s:1s --deadline 1s --seed 3 --json - --quiet --class CRITICAL_PLUS:0.1 --class CRITICAL:0.6 --class SHEDDABLE:0.3 " +
			"--retries 2 --backoff 50ms",
	} {
		if got := strings.Join(arguments(rows[i], "U", 100, time.Second, 3), " "); got != want {
			t.Errorf("%s: %s\nwant %s", rows[i].Name, got, want)
		}
	}
}

// made is what a load came to, with the same in each second of each phase.
func made(t *testing.T, r Row, perSecond func(phase, class int) second, latency time.Duration) *outcome {
	t.Helper()
	o := &outcome{Classes: make([]account, len(Classes))}
	h := hdrhistogram.New(1, 60_000_000_000, 3)
	for p, phase := range r.Phases {
		for range phase.Seconds {
			var all second
			h.Reset()
			for c := range Classes {
				s := perSecond(p, c)
				o.Classes[c].Series = append(o.Classes[c].Series, s)
				all.Offered += s.Offered
				all.Good += s.Good
				all.Late += s.Late
				all.Refused += s.Refused
				all.Failed += s.Failed
			}
			if err := h.RecordValues(latency.Nanoseconds(), all.Good); err != nil {
				t.Fatal(err)
			}
			if err := h.RecordValues(1_000_000_000, all.Late); err != nil {
				t.Fatal(err)
			}
			text, err := h.EncodeV2()
			if err != nil {
				t.Fatal(err)
			}
			o.All.Series, o.All.Parts = append(o.All.Series, all), append(o.All.Parts, string(text))
		}
	}
	return o
}

func TestFigures(t *testing.T) {
	two := Rows(Lengths{1, 2, 1})[3]
	back := 0.3
	o := made(t, two, func(phase, class int) second {
		if phase != 1 {
			return []second{{Offered: 7, Good: 7, Answered: 7}, {Offered: 42, Good: 42, Answered: 42}, {Offered: 21, Good: 21, Answered: 21}}[class]
		}
		// 100 a second can be served of 200: the first class and the better part
		// of the second.
		return []second{{Offered: 20, Good: 20, Answered: 20}, {Offered: 120, Good: 70, Answered: 72, Refused: 50}, {Offered: 60, Good: 5, Answered: 5, Refused: 50, Late: 5}}[class]
	}, 40*time.Millisecond)
	o.All.Recovery = &back
	f, err := figures(two, 100, o)
	if err != nil {
		t.Fatal(err)
	}
	// Figures are of the second second, but for what became of who was due.
	if f.Classes != [3]Counts{{20, 20, 20, 20}, {120, 70, 80, 72}, {60, 5, 0, 5}} {
		t.Errorf("%+v", f.Classes)
	}
	if f.Critical != 92.0/100 || f.Of[1] != 72.0/80 || f.Late != 10.0/400 || f.WithRoom != 0 || *f.Recovery != back {
		t.Errorf("%+v", f)
	}
	if f.P50 < 39 || f.P50 > 41 || f.P99 < 39 || f.P99 > 41 {
		t.Errorf("%+v", f)
	}
	if _, err := figures(two, 100, &outcome{Classes: o.Classes}); err == nil {
		t.Error("nothing of a load, and no error")
	}
}

func TestShare(t *testing.T) {
	for _, tt := range []struct {
		counts Counts
		want   float64
	}{
		{Counts{Offered: 100, Good: 90, Possible: 100, Answered: 95}, 0.9},
		{Counts{Offered: 100, Good: 90, Possible: 104, Answered: 95}, 0.9},
		{Counts{Offered: 100, Good: 55, Possible: 50, Answered: 45}, 0.9},
		{Counts{Offered: 100, Good: 3, Possible: 0, Answered: 3}, 1},
		{Counts{}, 1},
	} {
		if got := tt.counts.share(); got != tt.want {
			t.Errorf("%+v: %v, want %v", tt.counts, got, tt.want)
		}
	}
}

func TestRecoveryFromWhatBefellTheService(t *testing.T) {
	half := Rows(Lengths{1, 2, 4})[6]
	for _, tt := range []struct {
		good []int64 // of a hundred, in the four seconds after
		want float64 // below 0: never
	}{
		{[]int64{100, 100, 100, 100}, 0},
		{[]int64{90, 95, 100, 100}, 1},
		{[]int64{100, 90, 100, 100}, 2},
		{[]int64{100, 100, 100, 90}, -1},
	} {
		o := &outcome{}
		o.All.Series = make([]second, 3)
		for _, n := range tt.good {
			o.All.Series = append(o.All.Series, second{Offered: 100, Good: n})
		}
		if got := recovery(half, o); (got == nil) != (tt.want < 0) || got != nil && *got != tt.want {
			t.Errorf("%v: %v, want %v", tt.good, got, tt.want)
		}
	}
	if recovery(Rows(Lengths{1, 2, 4})[0], &outcome{}) != nil {
		t.Error("nothing to recover from")
	}
}

func TestServedLeavesOutWhoLeft(t *testing.T) {
	r := Rows(Lengths{1, 1, 1})[0]
	o := made(t, r, func(int, int) second { return second{Offered: 100, Good: 20, Late: 80} }, 30*time.Millisecond)
	q, err := served(o.All.Parts, 3*240, 0.5, 0.99)
	if err != nil || q[0] < 29 || q[0] > 31 || q[1] < 29 || q[1] > 31 {
		t.Errorf("%v, %v", q, err)
	}
	if q, err := served(o.All.Parts, 900, 0.5); err != nil || q[0] != 0 {
		t.Errorf("%v, %v: all were late", q, err)
	}
	if q, err := served([]string{"", ""}, 0, 0.5); err != nil || q[0] != 0 {
		t.Errorf("%v, %v: nobody was served", q, err)
	}
	if _, err := served([]string{"x"}, 0, 0.5); err == nil {
		t.Error("no histogram, and no error")
	}
}

func TestMedian(t *testing.T) {
	one, three := 1.0, 3.0
	rounds := []Figures{
		{Critical: 0.9, Recovery: &three, CPU: 10}, {Critical: 0.2, Void: []string{"busy"}}, {Critical: 0.8, Recovery: nil, CPU: 30}, {Critical: 0.7, Recovery: &one, CPU: 20},
	}
	f, ok := Median(rounds)
	if !ok || f.Critical != 0.8 || f.CPU != 20 || f.Recovery == nil || *f.Recovery != 3 {
		t.Errorf("%+v %v", f, ok)
	}
	if f, ok := Median(rounds[1:2]); ok || f.Critical != 0.2 {
		t.Errorf("%+v %v, want the void one", f, ok)
	}
}

func TestStanding(t *testing.T) {
	cell := func(front string, critical float64, valid bool) Cell {
		return Cell{Median: Figures{Front: front, Critical: critical}, Valid: valid}
	}
	for _, tt := range []struct {
		cells []Cell
		ok    bool
		want  Standing
	}{
		{[]Cell{cell("a", 0.5, true), cell(fronts.Plimsoll, 0.9, true)}, true, Standing{"r", fronts.Plimsoll, 0.9, 0.9, 0, true, 1, 0}},
		{[]Cell{cell("a", 1, true), cell(fronts.Plimsoll, 0.75, true)}, true, Standing{"r", "a", 1, 0.75, 0.25, false, 1, 0}},
		{[]Cell{cell("a", 1, false), cell("b", 0.5, true), cell(fronts.Plimsoll, 0.75, true)}, true, Standing{"r", fronts.Plimsoll, 0.75, 0.75, 0, true, 1, 1}},
		{[]Cell{cell("a", 1, false), cell(fronts.Plimsoll, 0.75, true)}, false, Standing{}},
		{[]Cell{cell("a", 1, true), cell(fronts.Plimsoll, 0.75, false)}, false, Standing{}},
	} {
		if got, ok := (RowReport{Name: "r", Cells: tt.cells}).Standing(); ok != tt.ok || ok && got != tt.want {
			t.Errorf("%+v: %+v %v", tt.cells, got, ok)
		}
	}
}

// sample is a report with everything in it that can be said.
func sample() *Report {
	took := 0.4
	good := Figures{
		Front: fronts.Plimsoll, Row: "2x", Capacity: 460, Critical: 0.98, All: 0.99, Of: [3]float64{1, 0.97, 0}, WithRoom: 0.01, Late: 0.002,
		Classes: [3]Counts{{100, 100, 100, 100}, {600, 350, 360, 350}, {300, 0, 1, 0}}, P50: 55, P99: 170, Recovers: true, Recovery: &took, CPU: 71, Idle: 0.5,
	}
	bad := good
	bad.Front, bad.Critical, bad.All, bad.Recovery, bad.P50, bad.P99, bad.CPU, bad.Failed = fronts.Nothing, 0, 0, nil, 0, 0, 0, 0.05
	better := good
	better.Front, better.Critical = "nginx", 1
	void := good
	void.Front, void.Void = "haproxy", []string{"the processors were busy: 1 % of their time was left"}
	cells := []Cell{{Median: bad, Valid: true}, {Median: better, Valid: true}, {Median: void}, {Median: good, Valid: true}}
	steady := good
	steady.Row, steady.Recovers, steady.Recovery = "slower", false, nil
	r := &Report{
		Go: "go1.26", Platform: "linux/amd64", Processors: 2, Began: time.Date(2026, 11, 30, 18, 0, 0, 0, time.UTC), Took: 600, Rounds: 1,
		Deadline: 1, Slots: 8, Service: 17.4, Lengths: Lengths{2, 7, 4}, Busy: Busy{"0.10", "1.20"},
		Rows: []RowReport{
			{Name: "2x", Title: "2 times the capacity", Cells: cells},
			{Name: "slower", Title: "slower", Cells: []Cell{{Median: bad, Valid: true}, cells[1], cells[2], {Median: steady, Valid: true}}},
		},
	}
	for _, f := range fronts.All {
		if slices.Contains([]string{fronts.Nothing, "nginx", "haproxy", fronts.Plimsoll}, f.Name) {
			r.Fronts = append(r.Fronts, About(f, known, "", ""))
		}
	}
	r.Fronts = append(r.Fronts, FrontAbout{Name: "gone", Title: "a program", Skipped: "it cannot be had"})
	r.Saw(459.2)
	r.Saw(461.8)
	return r
}

func TestReports(t *testing.T) {
	for name, got := range map[string]string{"report.golden": sample().Text(), "page.golden": sample().Markdown("make live")} {
		golden.File(t, "testdata/"+name, got)
	}
}

// TestCapacity measures a service that is known, on a machine that may be busy
// with anything.
func TestCapacity(t *testing.T) {
	s := Stage{Facts: known, Self: os.Args[0], Closed: 500 * time.Millisecond}
	got, err := s.Capacity(t.Context())
	if err != nil || got < 0.1*known.Capacity() || got > 2*known.Capacity() {
		t.Errorf("%.0f answers a second, %v; want about %.0f", got, err, known.Capacity())
	}
}
