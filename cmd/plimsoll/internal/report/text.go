// Package report shows what a load came to: as text, as a time series, as a log
// of histograms, and while it runs as metrics.
package report

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/plimsoll-go/plimsoll/cmd/plimsoll/internal/console"
	"github.com/plimsoll-go/plimsoll/cmd/plimsoll/internal/format"
	"github.com/plimsoll-go/plimsoll/cmd/plimsoll/internal/result"
)

// Text writes a result for people: what ran and whether it can be believed, how
// it went, what became of the requests, how long they took.
func Text(w io.Writer, r *result.Result) error {
	var b strings.Builder
	head(&b, r)
	plot(&b, r)
	requests(&b, r)
	reasons(&b, r)
	times(&b, r)
	last(&b, r)
	_, err := io.WriteString(w, strings.TrimRight(b.String(), "\n")+"\n") // a blank line stands between parts
	return err
}

func head(w io.Writer, r *result.Result) {
	fmt.Fprintf(w, "%s: %s, seed %d, %s\n", r.Target, r.Schedule, r.Seed, r.Began.UTC().Format("2006-01-02 15:04:05 UTC"))
	if r.Interrupted {
		fmt.Fprintf(w, "Interrupted after %s of %s: this is of what ran.\n", format.Seconds(r.Ran), format.Seconds(r.Length))
	}
	if len(r.Invalid) > 0 {
		fmt.Fprintln(w, "INVALID: it says nothing about its target, as")
		for _, why := range r.Invalid {
			fmt.Fprintln(w, "  "+why)
		}
	}
	fmt.Fprintln(w)
}

// plot draws how it went, what was offered by when it was due and what was
// answered by when that was.
func plot(w io.Writer, r *result.Result) {
	series := r.All.Series
	if len(series) == 0 {
		return
	}
	each := (len(series) + console.Width - 1) / console.Width
	take := func(name string, of func(result.Second) int64) console.Curve {
		c := console.Curve{Name: name}
		for from := 0; from < len(series); from += each {
			some, n := series[from:min(from+each, len(series))], int64(0)
			for _, s := range some {
				n += of(s)
			}
			c.Values = append(c.Values, float64(n)/(float64(len(some))*r.Step))
		}
		return c
	}
	console.Plot(w, []console.Curve{
		take("offered", func(s result.Second) int64 { return s.Offered }),
		take("throughput", func(s result.Second) int64 { return s.Done }),
		take("goodput", func(s result.Second) int64 { return s.Answered }),
	}, format.Seconds(float64(len(series))*r.Step), func(top float64) string { return format.Rate(top) + "/s" })
	fmt.Fprintln(w)
}

// named are the classes, and all of them together where there are several.
func named(r *result.Result) []*result.Class {
	var out []*result.Class
	for i := range r.Classes {
		out = append(out, &r.Classes[i])
	}
	if len(out) != 1 {
		out = append(out, &r.All)
	}
	return out
}

func requests(w io.Writer, r *result.Result) {
	t := console.Table{{"requests", "offered", "good", "", "good/s", "late", "refused", "failed", "not sent", "attempts", "per request"}}
	for _, c := range named(r) {
		amplification := "–"
		if c.Sent > 0 {
			amplification = fmt.Sprintf("%.2f", c.Amplification())
		}
		t.Row(title(c), number(c.Offered), number(c.Good), format.Share(float64(c.Good), float64(c.Offered)), format.Rate(r.Rate(c.Good)),
			number(c.Late), number(result.Sum(c.Refused)), number(result.Sum(c.Failed)), number(result.Sum(c.Skipped)),
			number(c.Attempts), amplification)
	}
	t.Write(w)
	fmt.Fprintln(w)
}

// title is a class for people: with its criticality where its name says another
// thing.
func title(c *result.Class) string {
	if c.Criticality == "" || strings.EqualFold(c.Name, c.Criticality) {
		return c.Name
	}
	return c.Name + " (" + c.Criticality + ")"
}

func number(n int64) string { return format.Count(uint64(max(n, 0))) }

// reasons says why, where anything did not end well.
func reasons(w io.Writer, r *result.Result) {
	any := false
	for _, v := range []struct {
		what string
		by   map[string]int64
	}{
		{"not sent", r.All.Skipped}, {"refused", r.All.Refused}, {"failed", r.All.Failed},
		{"attempts refused", other(r.All.AttemptsRefused, r.All.Refused)}, {"attempts failed", other(r.All.AttemptsFailed, r.All.Failed)},
	} {
		if len(v.by) == 0 {
			continue
		}
		any = true
		why := slices.SortedFunc(maps.Keys(v.by), func(a, b string) int {
			if n := v.by[b] - v.by[a]; n != 0 {
				return int(min(max(n, -1), 1))
			}
			return strings.Compare(a, b)
		})
		for i, reason := range why {
			why[i] = reason + " " + number(v.by[reason])
		}
		fmt.Fprintf(w, "%s: %s\n", v.what, strings.Join(why, ", "))
	}
	if any {
		fmt.Fprintln(w)
	}
}

// other is by where it says another thing than the requests do: without retries
// it is the same.
func other(by, requests map[string]int64) map[string]int64 {
	if maps.Equal(by, requests) {
		return nil
	}
	return by
}

// kinds are the times of a request, told apart by what they are from and to.
var kinds = []struct {
	is    string
	of    func(*result.Class) *result.Times
	whole bool // of all classes together
}{
	{"latency: from when a request was due until it was answered, or its caller hung up", func(c *result.Class) *result.Times { return &c.Latency }, false},
	{"service: from when its last attempt was sent; what waited before is left out", func(c *result.Class) *result.Times { return &c.Service }, true},
	{"turned away: from when a request was due until it was refused or failed", func(c *result.Class) *result.Times { return &c.Turned }, true},
	{"slip: from when a request was due until it was sent, which is the generator's own", func(c *result.Class) *result.Times { return &c.Slip }, true},
}

// times is one table, with a line before the rows of each kind.
func times(w *strings.Builder, r *result.Result) {
	t := console.Table{{"times", "mean", "p50", "p90", "p99", "p99.9", "max"}}
	is := map[int]string{} // by the line that it stands before
	for _, k := range kinds {
		classes := named(r)
		if k.whole {
			classes = []*result.Class{&r.All}
		}
		before := len(t)
		for _, c := range classes {
			if v := k.of(c); v.Count > 0 {
				is[before] = k.is
				t.Row(append([]string{"  " + title(c)}, spread(v)...)...)
			}
		}
	}
	if len(t) == 1 {
		return
	}
	var b strings.Builder
	t.Write(&b)
	i := 0
	for line := range strings.Lines(b.String()) {
		if text, ok := is[i]; ok {
			fmt.Fprintln(w, text)
		}
		i++
		w.WriteString(line)
	}
	fmt.Fprintln(w)
}

func spread(t *result.Times) []string {
	var out []string
	for _, ms := range []float64{t.Mean, t.P50, t.P90, t.P99, t.P999, t.Max} {
		out = append(out, format.Seconds(ms/1000))
	}
	return out
}

// last is what there is to say besides.
func last(w io.Writer, r *result.Result) {
	if n := r.All.Open; n > 0 {
		fmt.Fprintf(w, "Open: %s had not ended when the run was given up.\n", number(n))
	}
	switch {
	case r.PeakEnd == nil:
	case r.All.Recovery == nil:
		fmt.Fprintf(w, "Recovery: the last peak ended at %s, and goodput was not back for good within the run.\n", format.Seconds(*r.PeakEnd))
	case *r.All.Recovery == 0:
		fmt.Fprintf(w, "Recovery: at once when the last peak ended at %s.\n", format.Seconds(*r.PeakEnd))
	default:
		fmt.Fprintf(w, "Recovery: goodput was back for good %s after the last peak ended at %s.\n", format.Seconds(*r.All.Recovery), format.Seconds(*r.PeakEnd))
	}
}
