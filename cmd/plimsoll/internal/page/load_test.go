package page

import (
	"math"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/plimsoll-go/plimsoll/cmd/plimsoll/internal/result"
	"github.com/plimsoll-go/plimsoll/cmd/plimsoll/internal/threshold"
	"github.com/plimsoll-go/plimsoll/internal/golden"
)

// spike is twenty seconds of 300/s with five of 900/s in them, of three classes,
// on a service of 460/s that refuses the least important first.
func spike() *result.Result {
	const capacity = 460
	end, back := 10.0, 0.35
	r := &result.Result{
		Version: 1, Target: "http://shop.example:8080", Schedule: "300/s, 900/s from 5s for 5s, Poisson arrivals", Seed: 7,
		Began: time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC), Length: 20, Ran: 20, PeakEnd: &end, Step: 1, Part: 1,
	}
	r.Classes = []result.Class{{Name: "checkout", Criticality: "CRITICAL_PLUS"}, {Name: "browse", Criticality: "CRITICAL"}, {Name: "crawl", Criticality: "SHEDDABLE"}}
	for second := range 21 {
		rate, p99 := int64(300), 38.0
		if second >= 5 && second < 10 {
			rate, p99 = 900, 190
		}
		if second == 20 {
			rate = 0
		}
		var all result.Second
		left := int64(capacity)
		for i, share := range []int64{3, 4, 3} {
			c := &r.Classes[i]
			n := rate * share / 10
			s := result.Second{Offered: n, Good: min(n, left), P50: p99 / 8, P99: p99}
			left -= s.Good
			s.Refused = n - s.Good
			s.Attempts, s.Done = n+s.Refused, s.Good
			if second == 6 && i == 1 {
				s.Good, s.Late = s.Good-9, 9
			}
			s.Answered = s.Good
			add(c, s)
			c.Series = append(c.Series, s)
			all = sumOf([]result.Second{all, s})
		}
		add(&r.All, all)
		r.All.Series = append(r.All.Series, all)
	}
	r.Classes[2].Refused = map[string]int64{"level": r.Classes[2].Refused[""]}
	r.Classes[1].Refused = map[string]int64{"hopeless": r.Classes[1].Refused[""] - 40, "queue_full": 40}
	r.Classes[1].Failed = map[string]int64{"status 500": 3}
	r.Classes[1].AttemptsFailed = map[string]int64{"status 500": 5, "connection reset": 1}
	r.All.Refused = map[string]int64{"level": r.Classes[2].Refused["level"], "hopeless": r.Classes[1].Refused["hopeless"], "queue_full": 40}
	for _, c := range []*result.Class{&r.All, &r.Classes[0], &r.Classes[1], &r.Classes[2]} {
		c.Recovery = &back
		c.Latency = result.Times{Count: c.Good + c.Late, Mean: 14.2, P50: 9.5, P90: 31, P99: 187, P999: 204, Max: 231.4}
		c.Service = result.Times{Count: c.Good + c.Late, Mean: 13.9, P50: 9.3, P90: 30.2, P99: 186, P999: 203, Max: 231.1}
		c.Slip = result.Times{Count: c.Sent, Mean: 0.08, P50: 0.06, P90: 0.11, P99: 0.4, P999: 2.1, Max: 4}
		c.Turned = result.Times{Count: result.Sum(c.Refused), Mean: 1.1, P50: 0.9, P90: 1.6, P99: 4, P999: 9, Max: 12}
	}
	return r
}

// add counts a second in.
func add(c *result.Class, s result.Second) {
	if c.Refused == nil {
		c.Refused, c.AttemptsRefused = map[string]int64{}, map[string]int64{}
	}
	c.Offered, c.Sent, c.Good, c.Late = c.Offered+s.Offered, c.Sent+s.Offered, c.Good+s.Good, c.Late+s.Late
	c.Refused[""] += s.Refused
	c.Attempts, c.AttemptsGood, c.AttemptsLate = c.Attempts+s.Attempts, c.AttemptsGood+s.Good, c.AttemptsLate+s.Late
}

func loaded() Load {
	share := 0.79
	return Load{
		Result: spike(),
		Verdicts: []threshold.Verdict{
			{Threshold: "goodput{class=CRITICAL_PLUS} >= 0.99", OK: true, Got: "100 %"},
			{Threshold: "goodput >= 0.9", Value: &share, Got: "79 %"},
			{Threshold: "recovery < 2s", OK: true, Got: "350 ms"},
		},
	}
}

func writtenLoad(t *testing.T, l Load) string {
	t.Helper()
	var b strings.Builder
	if err := WriteLoad(&b, l); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestLoadIsAsItWas(t *testing.T) { golden.File(t, "testdata/load.html", writtenLoad(t, loaded())) }

func TestLoadStandsAlone(t *testing.T) {
	got := writtenLoad(t, loaded())
	alone(t, got)
	for _, want := range []string{
		"<title>http://shop.example:8080 – plimsoll load</title>", "2 of 3 held", "✗ missed", "goodput &gt;= 0.9", "79 %", "CRITICAL_PLUS",
		"Refusals by class", "Goodput by class", "Refusals by reason", ">hopeless<", "connection reset", "until turned away", "crawl refused/s",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("no %q on the page", want)
		}
	}
	for _, not := range []string{"Not sent</h2>", "This run is invalid", "Interrupted"} {
		if strings.Contains(got, not) {
			t.Errorf("%q on the page", not)
		}
	}
}

func TestAnInvalidLoadSaysSoFirst(t *testing.T) {
	l := loaded()
	l.Result.Invalid = []string{"12 of 900 requests were not sent"}
	l.Result.Interrupted, l.Result.Ran = true, 7.5
	l.Result.All.Skipped = map[string]int64{"in_flight": 12}
	l.Result.Classes = nil
	got := writtenLoad(t, l)
	if i, j := strings.Index(got, "This run is invalid"), strings.Index(got, `id="verdicts"`); i < 0 || i > j {
		t.Error("what is invalid does not stand first")
	}
	for _, want := range []string{"12 of 900 requests were not sent", "in_flight", "Interrupted after</dt><dd>7.5 s"} {
		if !strings.Contains(got, want) {
			t.Errorf("no %q", want)
		}
	}
}

// TestLoadEscapes: what a service answers, and a file calls its classes, is text.
func TestLoadEscapes(t *testing.T) {
	const evil = `<script>alert(1)</script>"'&<b>` + "\u2028"
	l := loaded()
	r := l.Result
	r.Target, r.Schedule, r.Invalid = evil, evil, []string{evil}
	l.Verdicts = []threshold.Verdict{{Threshold: evil, Got: evil}}
	for i := range r.Classes {
		c := &r.Classes[i]
		c.Name, c.Criticality = evil, evil
		c.Refused, c.Failed, c.Skipped = map[string]int64{evil: 9}, map[string]int64{evil: 9}, map[string]int64{evil: 9}
	}
	got := writtenLoad(t, l)
	if n := strings.Count(got, "<script>"); n != 1 {
		t.Errorf("%d scripts, want the page's own", n)
	}
	if strings.Contains(got, "alert(1)</script>") || strings.Contains(got, "<b>") {
		t.Error("a name was not escaped")
	}
}

func TestLoadOfLittle(t *testing.T) {
	for name, r := range map[string]*result.Result{
		"nothing":       {},
		"no answers":    {Length: 5, Ran: 5, Step: 1, All: result.Class{Offered: 5, Series: []result.Second{{Offered: 5, Failed: 5}}}},
		"one class":     {Length: 1, Ran: 1, Step: 1, Classes: []result.Class{{Name: "a", Offered: 3, Refused: map[string]int64{"x": 3}, Series: []result.Second{{Refused: 3}}}}},
		"cut at once":   {Length: 1, Ran: 0, Step: 1, Interrupted: true},
		"half a second": {Length: 0.5, Ran: 0.5, Step: 1, All: result.Class{Series: []result.Second{{Offered: 50, Good: 50, Answered: 50, Done: 50}}}},
	} {
		got := writtenLoad(t, Load{Result: r})
		if !strings.HasSuffix(got, "</html>\n") || strings.Contains(got, "NaN") || strings.Contains(got, "Inf") {
			t.Errorf("%s: not a whole page", name)
		}
		if name == "half a second" && !strings.Contains(got, "<td>100</td><td>50</td><td>50</td>") {
			t.Errorf("%s: 50 requests that are due in half a second are 100 a second", name)
		}
	}
}

// TestLongLoads: a line does not grow with the run, and no request is lost.
func TestLongLoads(t *testing.T) {
	for _, n := range []int{601, 1799} {
		c := result.Class{Series: make([]result.Second, n)}
		for i := range c.Series {
			c.Series[i] = result.Second{Offered: 10, Good: 7, Answered: 7, Done: 8, Attempts: 9, P99: float64(i)}
		}
		length := time.Duration(n) * time.Second
		s := newSteps("all", "", &c, &result.Result{Step: 1, Length: float64(n), Ran: float64(n)}, length)
		sum := sumOf(s.rows)
		if len(s.rows) > mostPoints || sum.Offered != int64(10*n) || sum.Good != int64(7*n) || sum.P99 != float64(n-1) || s.end() != length {
			t.Errorf("%d rows to %s, %+v", len(s.rows), s.end(), sum)
		}
		for want, got := range map[float64][]float64{10: s.due(offered), 7: s.done(answered), 8: s.done(done), 9: s.done(attempts)} {
			for i, v := range got {
				if math.Abs(v-want) > 0.001 {
					t.Errorf("row %d of %d s: %g/s, want %g", i, n, v, want)
				}
			}
		}
	}
	// Nothing happened in the last two seconds, but they were: the row is whole.
	c := result.Class{Series: make([]result.Second, 599)}
	c.Series[598].Done = 6
	s := newSteps("all", "", &c, &result.Result{Step: 1, Length: 601, Ran: 601}, 601*time.Second)
	if got := s.done(done); len(got) != 200 || got[199] != 2 {
		t.Errorf("%d rows, the last %g/s", len(got), got[len(got)-1])
	}
}

func TestManyClassesAreFewColours(t *testing.T) {
	r := spike()
	for range 20 {
		c := r.Classes[2]
		c.Name = "more"
		r.Classes = append(r.Classes, c)
	}
	want := int64(0)
	for i := range r.Classes {
		want += result.Sum(r.Classes[i].Refused)
	}
	v := newLoadView(Load{Result: r})
	parts := v.refusedParts()
	got := 0.0
	for _, p := range parts {
		for _, value := range p.values {
			got += value
		}
	}
	if math.Abs(got-float64(want)) > 0.5 {
		t.Errorf("%g refusals are drawn of %d", got, want)
	}
	if len(parts) != shades || parts[shades-1].name != "others" {
		t.Errorf("%+v", parts)
	}
	if len(v.Shown) != 1+mostClasses {
		t.Errorf("%d are drawn", len(v.Shown))
	}
}

// alone: nothing is loaded from anywhere, and what is drawn can be read out.
func alone(t *testing.T, got string) {
	t.Helper()
	for _, bad := range []*regexp.Regexp{
		regexp.MustCompile(`(?i)<(link|img|iframe|object|embed|base|form)\b`),
		regexp.MustCompile(`(?i)\s(src|href|action|srcset)\s*=`),
		regexp.MustCompile(`(?i)@import|url\(|fetch\(|XMLHttpRequest`),
		regexp.MustCompile(`ZgotmplZ`), // html/template has refused a value
	} {
		if at := bad.FindString(got); at != "" {
			t.Errorf("%q on the page", at)
		}
	}
	for _, ids := range regexp.MustCompile(`<svg [^>]*role="img" aria-labelledby="([\w-]+) ([\w-]+)"`).FindAllStringSubmatch(got, -1) {
		for _, id := range ids[1:] {
			if strings.Count(got, `id="`+id+`"`) != 1 {
				t.Errorf("id %q is not there once", id)
			}
		}
	}
}
