package report

import (
	"bytes"
	"encoding/csv"
	"strconv"
	"strings"
	"testing"
	"time"

	hdr "github.com/HdrHistogram/hdrhistogram-go"

	"github.com/plimsoll-go/plimsoll/cmd/plimsoll/internal/openloop"
	"github.com/plimsoll-go/plimsoll/cmd/plimsoll/internal/result"
	"github.com/plimsoll-go/plimsoll/cmd/plimsoll/internal/tally"
	"github.com/plimsoll-go/plimsoll/internal/golden"
)

func TestText(t *testing.T) {
	load, about := overload()
	plain := tally.New([]tally.Class{{Name: "all-the-same"}}, 2*time.Second)
	for i := range 20 {
		due := time.Duration(i) * 100 * time.Millisecond
		plain.Offered(0, due)
		if i == 19 {
			break
		}
		plain.Attempt(0, due+time.Millisecond, openloop.Good, "")
		plain.End(tally.Request{Due: due, Sent: due, Last: due, Done: due + time.Millisecond, Outcome: openloop.Good})
	}
	invalid := about
	invalid.Interrupted, invalid.Ran = true, 7.5
	invalid.Invalid = []string{"12 of 2000 requests were not sent", "requests were sent late"}
	for _, tt := range []struct {
		name string
		of   result.Result
	}{
		{"overload.txt", load.Result(about)},
		{"invalid.txt", load.Result(invalid)},
		{"plain.txt", plain.Result(result.Result{Target: "http://127.0.0.1:1", Schedule: "10/s for 2 s", Length: 2, Ran: 2, Began: began})},
		{"nothing.txt", tally.New([]tally.Class{{Name: "a"}, {Name: "b"}}, time.Second).Result(result.Result{Target: "http://127.0.0.1:1", Schedule: "0/s", Length: 1, Began: began})},
	} {
		var b strings.Builder
		if err := Text(&b, &tt.of); err != nil {
			t.Fatal(err)
		}
		golden.File(t, "testdata/"+tt.name, b.String())
	}
}

func TestCSV(t *testing.T) {
	load, about := overload()
	r := load.Result(about)
	var b strings.Builder
	if err := CSV(&b, &r); err != nil {
		t.Fatal(err)
	}
	rows, err := csv.NewReader(strings.NewReader(b.String())).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	if got := strings.Join(rows[0], ","); got != "class,time_s,offered,skipped,good,late,refused,failed,answered,attempts,done,p50_ms,p99_ms" {
		t.Error(got)
	}
	if want := 1 + 3*len(r.All.Series); len(rows) != want {
		t.Errorf("%d rows, want %d", len(rows), want)
	}
	sums := map[string]int64{}
	for _, row := range rows[1:] {
		n, err := strconv.ParseInt(row[4], 10, 64)
		if err != nil {
			t.Fatal(err)
		}
		sums[row[0]] += n
	}
	if sums["all"] != r.All.Good || sums["checkout"] != r.Classes[0].Good || sums["batch"] != r.Classes[1].Good {
		t.Errorf("good: %v", sums)
	}
	if row := rows[6]; row[0] != "all" || row[1] != "5" || row[12] == "" {
		t.Errorf("the sixth second: %v", row)
	}
}

// The library's own reader makes of the log what was put into it.
func TestHLog(t *testing.T) {
	load, about := overload()
	r := load.Result(about)
	var b bytes.Buffer
	if err := HLog(&b, began, load.Intervals()); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"#[Histogram log format version 1.3]\n", "#[BaseTime: 1793707200 ", "#[StartTime: 1793707200 ", "\"StartTimestamp\"", "\nTag=checkout,0.500000,1.000000,0.03"} {
		if want == "\nTag=checkout,0.500000,1.000000,0.03" {
			want = "\nTag=checkout,0.500000,1.000000,36." // milliseconds
		}
		if !strings.Contains(b.String(), want) {
			t.Errorf("no %q in\n%.600s", want, b.String())
		}
	}
	in := hdr.NewHistogramLogReader(&b)
	whole := map[string]*hdr.Histogram{}
	intervals, before := 0, int64(0)
	for {
		h, err := in.NextIntervalHistogram()
		if err != nil {
			t.Fatal(err)
		}
		if h == nil {
			break
		}
		intervals++
		start, end := h.StartTimeMs(), h.EndTimeMs()
		if start < before || end-start != 1000 || start < 500 {
			t.Errorf("an interval from %d to %d ms", start, end)
		}
		before = start
		tag := h.Tag()
		if whole[tag] == nil {
			whole[tag] = hdr.New(1000, int64(24*time.Hour), 3)
		}
		whole[tag].Merge(h)
	}
	for tag, c := range map[string]*result.Class{"": &r.All, "checkout": &r.Classes[0], "batch": &r.Classes[1]} {
		h := whole[tag]
		if h == nil || h.TotalCount() != c.Latency.Count {
			t.Fatalf("%q: %v of %d", tag, h, c.Latency.Count)
		}
		if p99 := float64(h.ValueAtPercentile(99)) / 1e6; p99 < c.Latency.P99*0.99 || p99 > c.Latency.P99*1.01 {
			t.Errorf("%q: p99 %g, want %g", tag, p99, c.Latency.P99)
		}
	}
	if len(whole) != 3 || intervals < 3*12 {
		t.Errorf("%d tags, %d intervals", len(whole), intervals)
	}
}

func TestHLogTags(t *testing.T) {
	load := tally.New([]tally.Class{{Name: "a, b\nc"}}, time.Second)
	load.Offered(0, 0)
	load.End(tally.Request{Done: time.Millisecond, Outcome: openloop.Good})
	var b bytes.Buffer
	if err := HLog(&b, began, load.Intervals()); err != nil || !strings.Contains(b.String(), "\nTag=a__b_c,") {
		t.Errorf("%v: %s", err, b.String())
	}
}
