package threshold

import (
	"encoding/json"
	"errors"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"

	"github.com/plimsoll-go/plimsoll/class"
	"github.com/plimsoll-go/plimsoll/cmd/plimsoll/internal/result"
	"github.com/plimsoll-go/plimsoll/cmd/plimsoll/internal/strict"
)

// load is what the tests hold names against.
var load = Load{
	Classes: []Class{
		{Name: "checkout", Criticality: class.CriticalPlus}, {Name: "browse", Criticality: class.Critical},
		{Name: "search", Criticality: class.Critical}, {Name: "export"},
	},
	Peaks: true,
}

// timesTo are n values, 1 ms to n ms.
func timesTo(t *testing.T, n int64) result.Times {
	h := hdrhistogram.New(1000, 60_000_000_000, 3)
	for ms := range n {
		if err := h.RecordValue((ms + 1) * 1_000_000); err != nil {
			t.Fatal(err)
		}
	}
	return timesOf(t, h, n, float64(n+1)/2, float64(n))
}

func timesOf(t *testing.T, h *hdrhistogram.Histogram, n int64, mean, most float64) result.Times {
	text, err := h.Encode(hdrhistogram.V2CompressedEncodingCookieBase)
	if err != nil {
		t.Fatal(err)
	}
	at := func(p float64) float64 { return float64(h.ValueAtPercentile(p)) / 1e6 }
	return result.Times{
		Count: n, Mean: mean, P50: at(50), P90: at(90), P99: at(99), P999: at(99.9), Max: most, HDR: string(text),
	}
}

// What all requests took is what any percentile of theirs is.
func TestNoPercentileIsBeyondTheLongest(t *testing.T) {
	h := hdrhistogram.New(1000, 60_000_000_000, 3)
	if err := h.RecordValues(1_000_000_000, 100); err != nil {
		t.Fatal(err)
	}
	r := run(t)
	for i := range r.Classes {
		r.Classes[i].Latency = timesOf(t, h, 100, 1000, 1000)
	}
	for _, text := range []string{"p(95){class=CRITICAL} <= 1s", "p(99){class=CRITICAL} <= 1s", "p(95){class=browse} <= 1s"} {
		th, err := Parse(text, load)
		if err != nil {
			t.Fatal(err)
		}
		if v := (Set{th}).Judge(r)[0]; !v.OK {
			t.Errorf("%s: %s", text, v.Got)
		}
	}
}

// run is a run of ten seconds: checkout all good, browse 90 of 100, search 30
// of 100, export never asked for.
func run(t *testing.T) *result.Result {
	end, short, long := 5.0, 0.5, 1.5
	r := &result.Result{Length: 10, Ran: 10, PeakEnd: &end}
	r.Classes = []result.Class{
		{Name: "checkout", Criticality: "CRITICAL_PLUS", Offered: 200, Sent: 200, Good: 200, Attempts: 200, Recovery: &short, Latency: timesTo(t, 100)},
		{Name: "browse", Criticality: "CRITICAL", Offered: 100, Sent: 98, Good: 90, Late: 3, Skipped: map[string]int64{"in_flight": 2},
			Refused: map[string]int64{"hopeless": 4}, Failed: map[string]int64{"status 500": 1}, Attempts: 147, Recovery: &short, Latency: timesTo(t, 100)},
		{Name: "search", Criticality: "CRITICAL", Offered: 100, Sent: 100, Good: 30, Refused: map[string]int64{"queue_full": 50, "level": 20},
			Attempts: 300, AttemptsGood: 30, AttemptsLate: 20, Recovery: &long, Latency: timesTo(t, 1000), Turned: timesTo(t, 3)},
		{Name: "export"},
	}
	r.All = result.Class{Recovery: &long, Offered: 400, Sent: 398, Good: 320, Late: 3, Attempts: 647, Refused: map[string]int64{"hopeless": 4, "queue_full": 50, "level": 20}, Latency: timesTo(t, 1000)}
	return r
}

func TestVerdicts(t *testing.T) {
	r := run(t)
	for _, tt := range []struct {
		text string
		ok   bool
		got  string
	}{
		{"goodput >= 0.8", true, "80 %"},
		{"goodput >= 80%", true, "80 %"},
		{"goodput > 0.8", false, "80 %"},
		{"goodput{class=CRITICAL_PLUS} >= 0.99", true, "100 %"},
		{"goodput{class=CRITICAL} >= 0.99", false, "60 %"}, // browse and search together
		{"goodput{criticality=critical} >= 0.6", true, "60 %"},
		{"goodput{class=browse} >= 0.9", true, "90 %"},
		{`goodput{ class = "browse" }>=90 %`, true, "90 %"},
		{"late{class=browse} <= 3%", true, "3 %"},
		{"failed{class=browse} < 0.01", false, "1 %"},
		{"skipped{class=browse} == 0", false, "2 %"},
		{"refused{class=CRITICAL_PLUS} == 0", true, "0 %"},
		{"refused{class=search} < 0.5", false, "70 %"},
		{"count(refused) <= 74", true, "74"},
		{"count(refused) <= 73", false, "74"},
		{"count(attempts) < 1000", true, "647"},
		{"rate(good) >= 32", true, "32/s"},
		{"rate(offered){class=search} > 10", false, "10/s"},
		{"throughput{class=search} >= 5", true, "5/s"},
		{"amplification{class=browse} <= 1.5", true, "1.5"},
		{"amplification{class=search} <= 1.5", false, "3"},
		{"p(99){class=browse} < 100ms", true, "99.0 ms"},
		{"p(50) < 0.5s", false, "500 ms"},
		{"latency_p", false, ""},
		{"max{class=browse} <= 100ms", true, "100 ms"},
		{"p(100){class=browse} <= 100ms", true, "100 ms"},
		{"mean{class=browse} < 51ms", true, "50.5 ms"},
		{"p(95){class=browse} <= 95.1ms", true, "95.0 ms"}, // out of the histogram
		{"p(99){class=CRITICAL} < 900ms", false, "989 ms"}, // of 1100 values together
		{"mean{class=CRITICAL} < 460ms", true, "460 ms"},   // 459.6
		{"recovery < 2s", true, "1.50 s"},                  //
		{"recovery{class=browse} < 1s", true, "500 ms"},
		{"recovery{class=CRITICAL} < 1s", false, "1.50 s"},
		{"recovery{class=export} < 1s", false, "no such requests"},
		{"turned.max{class=search} < 10ms", true, "3 ms"},
		{"recovery < 1500ms", false, "1.50 s"},                      //
		{"goodput{class=export} >= 0.9", false, "no such requests"}, // a class that nobody asked for
		{"refused{class=export} == 0", false, "no such requests"},
		{"p(99){class=export} < 1s", false, "no such requests"},
		{"count(offered){class=export} == 0", true, "0"},
		{"service.p(99) < 1s", false, "none of these requests was answered"},
		{"slip.max < 1s", false, "none of these requests was answered"},
	} {
		th, err := Parse(tt.text, load)
		if tt.got == "" {
			if err == nil {
				t.Errorf("%s: no fault", tt.text)
			}
			continue
		}
		if err != nil {
			t.Errorf("%s: %v", tt.text, err)
			continue
		}
		if v := (Set{th}).Judge(r)[0]; v.OK != tt.ok || v.Got != tt.got {
			t.Errorf("%s: %v, %s; want %v, %s", tt.text, v.OK, v.Got, tt.ok, tt.got)
		}
	}
}

func TestWhatThereIsNoFigureForIsMissed(t *testing.T) {
	r := run(t)
	r.All.Recovery = nil
	set, err := ParseAll([]string{"recovery < 2s", "p(97) < 1h"}, load)
	if err != nil {
		t.Fatal(err)
	}
	r.All.Latency.HDR = ""
	for i, want := range []string{"never, within the run", `the result has no histogram of "" to take it from`} {
		if v := set.Judge(r)[i]; v.OK || v.Got != want || v.Value != nil {
			t.Errorf("%+v, want %q", v, want)
		}
	}
	for _, v := range set.Judge(&result.Result{}) {
		if v.OK || v.Got != "no such requests" {
			t.Errorf("of nothing: %+v", v)
		}
	}
}

func TestFaultsNameThePlaceAndWhatWasMeant(t *testing.T) {
	for _, tt := range []struct{ text, want string }{
		{"gooput >= 0.99", `column 1: want a metric, have "gooput"; did you mean goodput?`},
		{"http_req_duration < 5ms", `column 1: want a metric, have "http_req_duration": one of goodput, `},
		{"goodput{class=CRITICL} >= 0.99", `column 15: want a class of this load, or a criticality, have "CRITICL"; did you mean CRITICAL?`},
		{"goodput{class=brows} >= 0.99", `did you mean browse?`},
		{"goodput{class=SHEDDABLE} >= 0.99", `column 15: want a class of this load, or a criticality, have "SHEDDABLE": one of checkout, browse, search, export, CRITICAL_PLUS, CRITICAL`},
		{"goodput{criticality=browse} >= 0.99", `column 21: want a criticality that a class of this load has, have "browse": one of CRITICAL_PLUS, CRITICAL`},
		{"goodput{clas=browse} >= 0.99", `column 9: want class or criticality, have "clas"; did you mean class?`},
		{"goodput{class} >= 0.99", `column 14: want = and the name of a class, have "} >= 0.99"`},
		{"goodput{class=browse >= 0.99", `want } behind one class`},
		{"goodput{class=browse,tenant=x} >= 0.99", `column 21: want } behind one class, have ",tenant=x} >= 0.99"`},
		{"goodput{} >= 0.99", `want class or criticality, have ""`},
		{`goodput{class="browse} > 0`, `want a " that ends the name`},
		{"", `column 1: want a metric, have nothing`},
		{"goodput", `column 8: want one of >=, >, <=, < and ==, have ""`},
		{"goodput 0.99", `column 9: want one of >=, >, <=, < and ==, have "0.99"`},
		{"goodput = 0.99", `column 9: want one of >=, >, <=, < and ==, have =; did you mean ==?`},
		{"goodput => 0.99", `did you mean >=?`},
		{"goodput ≥ 0.99", `did you mean >=?`},
		{"goodput != 0.99", `have "!="`},
		{"goodput >=", `column 11: want a share of the requests offered, from 0 to 1 or in percent, have nothing`},
		{"goodput >= 250ms", `column 12: want a share of the requests offered, from 0 to 1 or in percent, have 250ms`},
		{"goodput >= 99", `in percent (99%?), have 99`},
		{"goodput >= -1", `have -1`},
		{"goodput >= NaN", `have NaN`},
		{"goodput >= 0.9 0.8", `have 0.9 0.8`},
		{"p(99) < 250", `column 9: want a duration with its unit, such as 250ms, have 250`},
		{"p(99) < 5%", `column 9: want a duration with its unit, such as 250ms, have 5%`},
		{"p(99) < -5ms", `have -5ms`},
		{"recovery < 2", `such as 2ms, have 2`},
		{"p99 < 250ms", `column 1: want a metric, have "p99"; did you mean p(99)?`},
		{"slip.p99.9 < 250ms", `did you mean slip.p(99.9)?`},
		{"p < 250ms", `column 3: want which percentile, such as p(99)`},
		{"p(0.99) < 250ms", `column 3: want a percentile from 1 to 100, have 0.99; did you mean 99?`},
		{"p(101) < 250ms", `column 3: want a percentile from 1 to 100, have "101"`},
		{"p(x) < 250ms", `have "x"`},
		{"p(99 < 250ms", `want ) behind p(99 < 250ms`},
		{"goodput(99) > 0.5", `column 8: want no parentheses behind goodput`},
		{"count(refuse) == 0", `column 7: want what is counted, have "refuse"; did you mean refused?`},
		{"count == 0", `want what is counted, have "": one of offered, `},
		{"count(late) < 0.5", `want a whole number of requests, have 0.5`},
		{"rate(good) > 5%", `want a number of requests a second, have 5%`},
		{"amplification < 1s", `want a number, have 1s`},
		{"goodput >= 0", `column 9: want a bound that a run can miss`},
		{"late <= 100%", `want a bound that a run can miss`},
		{"refused < 0", `want a bound that a run can hold`},
		{"goodput > 1", `want a bound that a run can hold`},
	} {
		_, err := Parse(tt.text, load)
		if err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s:\nhave %v\nwant %s", tt.text, err, tt.want)
		}
	}
}

// TestBoundsBeyondDeadlinesAndRetries: callers hang up at their deadline, and try
// again so often; what lies beyond that says nothing of a service.
func TestBoundsBeyondDeadlinesAndRetries(t *testing.T) {
	patient := Load{Classes: []Class{
		{Name: "checkout", Criticality: class.CriticalPlus, Deadline: time.Second, Attempts: 3},
		{Name: "crawler", Criticality: class.Sheddable, Deadline: 5 * time.Second, Attempts: 1},
	}}
	const holds, missed = "a bound that a run can miss; this one holds whatever happens", "a bound that a run can hold; this one is missed whatever happens"
	for text, want := range map[string]string{
		"p(99){class=checkout} < 2s":            holds + ", as callers hang up after 1s",
		"p(99){class=checkout} <= 1001ms":       holds,
		"p(99){class=checkout} < 1s":            "",
		"p(99){class=checkout} <= 1s":           "", // it takes a moment to hang up
		"p(99){class=CRITICAL_PLUS} < 2s":       holds,
		"p(99) < 2s":                            "", // of a crawler, too
		"p(99) < 6s":                            holds + ", as callers hang up after 5s",
		"service.mean{class=checkout} < 2s":     holds,
		"turned.max{class=checkout} <= 2s":      holds,
		"max{class=checkout} > 2s":              missed,
		"max{class=checkout} == 2s":             missed,
		"slip.p(99) < 20s":                      "", // the generator's own
		"recovery < 20s":                        "",
		"amplification <= 3":                    holds + ", as nobody makes more attempts than 3",
		"amplification < 3":                     "",
		"amplification{class=crawler} <= 1.1":   holds + ", as nobody makes more attempts than 1",
		"amplification{class=crawler} == 2":     missed,
		"amplification{class=checkout} <= 1.1":  "",
		"amplification{class=checkout} >= 3.01": missed,
	} {
		load := patient
		load.Peaks = true
		_, err := Parse(text, load)
		if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", text, err, want)
		}
	}
	patient.Classes[0].Deadline, patient.Classes[0].Attempts = 0, 0
	for _, text := range []string{"p(99) < 6s", "amplification <= 3"} {
		if _, err := Parse(text, patient); err != nil {
			t.Errorf("%s, of requests that nobody knows yet: %v", text, err)
		}
	}
}

func TestAllFaultsAtOnce(t *testing.T) {
	_, err := ParseAll([]string{"gooput{class=brows} >= 0.99", "p(99) < 250ms", "p(99) < 250", "recovery < 2s"}, Load{Classes: load.Classes})
	faults, ok := strict.FaultsOf(err)
	if !ok || len(faults) != 4 {
		t.Fatalf("%d faults:\n%v", len(faults), err)
	}
	want := `--threshold: "gooput{class=brows} >= 0.99", column 1: want a metric, have "gooput"; did you mean goodput?
--threshold: "gooput{class=brows} >= 0.99", column 14: want a class of this load, or a criticality, have "brows"; did you mean browse?
--threshold: "p(99) < 250", column 9: want a duration with its unit, such as 250ms, have 250
--threshold: "recovery < 2s", column 1: want another metric: the schedule has no peak to recover from`
	if faults.Error() != want {
		t.Errorf("have\n%s\nwant\n%s", faults, want)
	}
}

func TestAClassBeforeACriticality(t *testing.T) {
	odd := Load{Classes: []Class{{Name: "CRITICAL", Criticality: class.Sheddable}, {Name: "other", Criticality: class.Critical}}}
	for text, want := range map[string]string{
		"goodput{class=CRITICAL} > 0.5": "CRITICAL", "goodput{class=critical} > 0.5": "other", "goodput{criticality=CRITICAL} > 0.5": "other",
	} {
		got, err := Parse(text, odd)
		if err != nil || len(got.classes) != 1 || got.classes[0] != want {
			t.Errorf("%s: %v, %v", text, got.classes, err)
		}
	}
}

// TestANameIsOfferedOnce: classes are called as their criticality unless said.
func TestANameIsOfferedOnce(t *testing.T) {
	_, err := Parse("goodput{class=tortoise} > 0.5", Load{Classes: []Class{{Name: "CRITICAL", Criticality: class.Critical}, {Name: "x", Criticality: class.Sheddable}}})
	if err == nil || !strings.HasSuffix(err.Error(), "one of CRITICAL, x, SHEDDABLE") {
		t.Error(err)
	}
}

func TestWhatIsMissedEndsWith99(t *testing.T) {
	set, err := ParseAll([]string{"goodput >= 0.5", "goodput{class=CRITICAL} >= 0.99", "p(50) < 100ms"}, load)
	if err != nil {
		t.Fatal(err)
	}
	verdicts := set.Judge(run(t))
	var text strings.Builder
	if err := Write(&text, verdicts); err != nil {
		t.Fatal(err)
	}
	const lines = `ok      goodput >= 0.5                   80 %
MISSED  goodput{class=CRITICAL} >= 0.99  60 %
MISSED  p(50) < 100ms                    500 ms
`
	if text.String() != lines {
		t.Errorf("have\n%swant\n%s", text.String(), lines)
	}
	err = Missed(verdicts)
	const want = `load: 2 of 3 thresholds missed
  goodput{class=CRITICAL} >= 0.99: have 60 %
  p(50) < 100ms: have 500 ms`
	var coder interface{ ExitCode() int }
	if err == nil || err.Error() != want || !errors.As(err, &coder) || coder.ExitCode() != 99 {
		t.Errorf("have %v\nwant %s", err, want)
	}
	if err := Missed(verdicts[:1]); err != nil {
		t.Error(err)
	}
	data, err := json.Marshal(verdicts[1])
	if err != nil || string(data) != `{"threshold":"goodput{class=CRITICAL} \u003e= 0.99","ok":false,"value":0.6,"unit":"share","got":"60 %"}` {
		t.Errorf("%s, %v", data, err)
	}
}

func TestMetricsAreExplained(t *testing.T) {
	seen := map[string]bool{}
	for _, m := range Metrics() {
		if m.Name == "" || m.Is == "" || m.Unit == "" || seen[m.Name] {
			t.Errorf("%+v", m)
		}
		seen[m.Name] = true
	}
}

// TestMetricsAreInTheManual: every metric, and what is counted.
func TestMetricsAreInTheManual(t *testing.T) {
	page, err := os.ReadFile("../../../../docs/release.md")
	if err != nil {
		t.Fatal(err)
	}
	names := map[string]bool{}
	for _, m := range metrics {
		names[m.Name] = true
	}
	for _, c := range counts {
		names[c.name] = true
	}
	for name := range names {
		if !strings.Contains(string(page), "`"+name+"`") {
			t.Errorf("no %s in docs/release.md", name)
		}
	}
}

// FuzzParse: whatever is written, it is read or faulted at a place within it,
// and what is read can be judged and read again.
func FuzzParse(f *testing.F) {
	for _, s := range []string{
		"goodput{class=CRITICAL} >= 0.99", "p(99) < 250ms", "slip.p(99.9){class=\"a b\"} <= 1s", "count(refused) == 0", "p(", "{", "é{class=é}≥é", "a\x00(b)", "p(1e300)>1e300h", "rate(x)",
	} {
		f.Add(s)
	}
	r := &result.Result{Length: 1, All: result.Class{Offered: 1, Good: 1}}
	f.Fuzz(func(t *testing.T, text string) {
		th, err := Parse(text, load)
		var faults Faults
		if errors.As(err, &faults) {
			for _, fault := range faults {
				if n := len([]rune(text)); fault.Column < 1 || fault.Column > n+1 || fault.Want == "" {
					t.Errorf("%q: fault at column %d of %d: %s", text, fault.Column, n, fault)
				}
			}
			return
		}
		Set{th}.Judge(r)
		if again, err := Parse(th.Text, load); err != nil || again.Text != th.Text {
			t.Errorf("%q reads as %q, and that as %q: %v", text, th.Text, again.Text, err)
		}
	})
}
