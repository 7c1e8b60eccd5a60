package report

import (
	"encoding/json"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/plimsoll-go/plimsoll/bench/internal/meter"
)

// samples makes one sample a round of 10 operations from nanoseconds each.
func samples(mallocs uint64, perOp ...int) []meter.Sample {
	var s []meter.Sample
	for _, ns := range perOp {
		s = append(s, meter.Sample{Ops: 10, CPU: time.Duration(ns * 10), Wall: time.Duration(ns * 20), Mallocs: mallocs * 10, Bytes: mallocs * 960})
	}
	return s
}

func scripted() *Report {
	r := &Report{Go: "go1.26", Platform: "linux/amd64", Processors: 2, Goroutines: 64, Rounds: 3, Pairs: 3}
	r.Groups = []Group{Compare("admit and release", "peer", "floor", 2, []Series{
		// The third round was ten times slower for everybody.
		{"ours", samples(0, 100, 110, 1000), samples(0, 200, 200, 2000)},
		{"peer", samples(1, 400, 440, 4000), samples(1, 600, 600, 6000)},
		{"floor", samples(0, 50, 55, 500), samples(0, 80, 80, 800)},
	})}
	r.HTTP = CompareWeb([]WebSeries{
		{"bare", Pairs{samples(18, 9900, 10000, 20000), samples(18, 9900, 10000, 20000)},
			Pairs{samples(18, 4000, 4000, 4000), samples(18, 4000, 4000, 4000)}},
		// The last pair was measured while the machine was twice as slow.
		{"ours", Pairs{samples(19, 10000, 10100, 20200), samples(18, 9900, 10000, 20000)},
			Pairs{samples(19, 4400, 4400, 4400), samples(18, 4000, 4000, 4000)}},
	})
	r.Calls = CompareCalls([]CallSeries{
		{"bare", Pairs{samples(150, 30000, 30000, 60000), samples(150, 30000, 30000, 60000)}},
		{"ours", Pairs{samples(150, 30300, 30300, 60600), samples(150, 30000, 30000, 60000)}},
	})
	r.RelayPairs, r.Relays = 3, CompareRelays([]RelaySeries{
		{"ours", "bare", samples(0, 10000, 11000, 20000), samples(0, 9500, 10450, 19000), []float64{110}, []float64{100}},
		{"refused", "ours", samples(0, 3000, 3300, 9000), samples(0, 10000, 11000, 30000), []float64{20}, []float64{110}},
	})
	return r
}

func near(got, want float64) bool { return math.Abs(got-want) < 1e-3 }

func TestCompare(t *testing.T) {
	rows := scripted().Groups[0].Rows
	for _, c := range []struct {
		what      string
		got, want float64
	}{
		{"ours alone", rows[0].Alone.NS, 110},
		{"ours alone on the wall", rows[0].Alone.WallNS, 220},
		{"ours against the peer", rows[0].Alone.XPeer, 0.25},
		{"ours against the floor", rows[0].Alone.XFloor, 2},
		{"ours in the crowd, over two processors", rows[0].Crowd.NS, 100},
		{"the same against the peer", rows[0].Crowd.XPeer, 1. / 3},
		{"the same against the floor", rows[0].Crowd.XFloor, 2.5},
		{"the peer against itself", rows[1].Alone.XPeer, 1},
		{"the peer's allocations", rows[1].Alone.Allocs, 1},
		{"the peer's bytes", rows[1].Alone.Bytes, 96},
		{"the floor against itself", rows[2].Crowd.XFloor, 1},
	} {
		if !near(c.got, c.want) {
			t.Errorf("%s: %v, want %v", c.what, c.got, c.want)
		}
	}
}

func TestCompareWithoutAPeer(t *testing.T) {
	g := Compare("alone", "nobody", "nothing", 2, []Series{{"ours", samples(0, 5), samples(0, 5)}})
	if g.Rows[0].Alone.XPeer != 0 || g.Rows[0].Alone.XFloor != 0 {
		t.Errorf("ratios to nothing: %+v", g.Rows[0].Alone)
	}
}

func TestCompareWeb(t *testing.T) {
	rows := scripted().HTTP
	if !near(rows[0].Loopback.Throughput, 1) || rows[0].Memory.AllocsMore != 0 {
		t.Errorf("bare against itself: %+v", rows[0])
	}
	if got := rows[1].Loopback; !near(got.CPUMicros, 10.1) || !near(got.Throughput, 10000./10100) || got.AllocsMore != 1 {
		t.Errorf("loopback: %+v", got)
	}
	if got := rows[1].Memory; !near(got.Throughput, 4000./4400) {
		t.Errorf("memory: %+v", got)
	}
}

func TestJudge(t *testing.T) {
	r := scripted()
	alone := func(row Row) float64 { return row.Alone.XPeer }
	web := func(w Web) float64 { return w.Loopback.Throughput }
	r.Judge([]Target{
		{What: "under", Want: 0.5, Have: Of("admit and release", "ours", alone)},
		{What: "over", Want: 0.2, Have: Of("admit and release", "ours", alone)},
		{What: "enough", Want: 0.97, AtLeast: true, Have: OfWeb("ours", web)},
		{What: "too little", Want: 0.995, AtLeast: true, Unit: "of bare", Have: OfWeb("ours", web)},
		{What: "not measured", Want: 1, Have: Of("admit and release", "theirs", alone)},
		{What: "not measured either", Want: 1, Have: OfWeb("theirs", web)},
	})
	var got []string
	for _, c := range r.Targets {
		verdict := "missed"
		if c.Held {
			verdict = "held"
		}
		got = append(got, c.What+" "+c.Want+" "+verdict)
	}
	want := "under <= 0.5 held; over <= 0.2 missed; enough >= 0.97 held; too little >= 0.995 of bare missed"
	if s := strings.Join(got, "; "); s != want {
		t.Errorf("got  %s\nwant %s", s, want)
	}
}

func TestText(t *testing.T) {
	r := scripted()
	r.Judge([]Target{{What: "alone", Want: 0.2, Unit: "x peer", Have: Of("admit and release", "ours", func(row Row) float64 { return row.Alone.XPeer })}})
	want := `go1.26 on linux/amd64, 2 processors; medians of 3 rounds and of 3 pairs for HTTP, interleaved; ns are of processor time.

admit and release    ns  x peer  x floor  ns, 64 goroutines  x peer  x floor  allocs  bytes
ours                110    0.25     2.00                100    0.33     2.50       0      0
peer (the peer)     440    1.00     8.00                300    1.00     7.50       1     96
floor              55.0    0.12     1.00               40.0    0.13     1.00       0      0

HTTP request  CPU us  req per CPU s, of bare (quartiles)  in memory: CPU us  of bare (quartiles)  allocs  more than bare
bare            10.0                    1.00 (1.00-1.00)               4.00     1.00 (1.00-1.00)      18               0
ours            10.1                    0.99 (0.99-0.99)               4.40     0.91 (0.91-0.91)      19               1

gRPC call, 3 pairs  CPU us  calls per CPU s, of bare (quartiles)  calls/s, of bare (quartiles)  allocs  more than bare
bare                  30.0                      1.00 (1.00-1.00)              1.00 (1.00-1.00)     150               0
ours                  30.3                      0.99 (0.99-0.99)              0.99 (0.99-0.99)     150               0

proxy, 3 pairs  beside  CPU us  x in CPU  req/s, x (quartiles)  allocs  more
ours              bare    11.0      1.05      0.95 (0.95-0.95)     110    10
refused           ours     3.3      0.30      3.33 (3.33-3.33)      20   -90

target        to hold  measured
alone   <= 0.2 x peer      0.25  MISSED
`
	if got := r.Text(); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

func TestMarkdownHasEveryRow(t *testing.T) {
	md := scripted().Markdown("make bench")
	for _, want := range []string{
		"Measured by `make bench`: go1.26",
		"| admit and release | ns |", "|---|--:|",
		"| ours | 110 | 0.25 | 2.00 | 100 | 0.33 | 2.50 | 0 | 0 |",
		"| ours | 10.1 | 0.99 (0.99-0.99) | 4.40 | 0.91 (0.91-0.91) | 19 | 1 |",
	} {
		if !strings.Contains(md, want) {
			t.Errorf("%q is not in\n%s", want, md)
		}
	}
}

func TestReportIsJSON(t *testing.T) {
	b, err := json.Marshal(scripted())
	if err != nil {
		t.Fatal(err)
	}
	var back Report
	if err := json.Unmarshal(b, &back); err != nil {
		t.Fatal(err)
	}
	if back.Groups[0].Rows[0].Crowd.XFloor != 2.5 || back.HTTP[1].Memory.Allocs != 19 {
		t.Errorf("came back as %s", b)
	}
}

func TestReplace(t *testing.T) {
	text := "# Title\n\n" + Begin + "\nold\n" + End + "\nrest\n"
	got, err := Replace(text, "new\n\n")
	if want := "# Title\n\n" + Begin + "\nnew\n" + End + "\nrest\n"; err != nil || got != want {
		t.Errorf("%q, %v", got, err)
	}
	again, err := Replace(got, "new")
	if err != nil || again != got {
		t.Errorf("not the same a second time: %q, %v", again, err)
	}
	for _, bad := range []string{"", Begin, End, End + "\n" + Begin, text + text} {
		if _, err := Replace(bad, "new"); err == nil {
			t.Errorf("%q: no error", bad)
		}
	}
}
