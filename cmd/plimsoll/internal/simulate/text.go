package simulate

import (
	"fmt"
	"io"
	"strings"

	"github.com/plimsoll-go/plimsoll/class"
	"github.com/plimsoll-go/plimsoll/cmd/plimsoll/internal/console"
	"github.com/plimsoll-go/plimsoll/sim"
)

// title is what runs are called for people.
func (s *setup) title(policy string) string {
	parts := []string{s.file.Name}
	if policy != "" {
		parts = append(parts, "policy "+policy)
	}
	for _, p := range s.file.Parameters {
		if v, ok := s.set[p.Name]; ok {
			p.Value = v
		}
		parts = append(parts, p.String())
	}
	return strings.Join(parts, ", ")
}

// text shows one run: how it went, then its figures.
func (r *run) text(w io.Writer) {
	plot(w, r.curves(), r.report.Length)
	fmt.Fprintln(w)
	f := r.figures()
	t := console.Table{{"per second", "offered", "goodput", "throughput", "late", "refused", "failed", "held", "p50", "p99"}}
	t.Row("all", number(f.Offered), number(f.Goodput), number(f.Throughput), number(f.Late), number(f.Refused), number(f.Failed), number(f.Held), seconds(f.P50), seconds(f.P99))
	t.Write(w)
	fmt.Fprintln(w)
	r.requests(w)
	fmt.Fprintln(w)
	r.stations(w)
}

// requests shows what became of requests, by kind and by class.
func (r *run) requests(w io.Writer) {
	t := console.Table{{"requests", "offered", "good", "", "lost", "open", "attempts", "refused", "late", "p50", "p99"}}
	row := func(name string, y *sim.Tally) {
		t.Row(name, count(y.Offered), count(y.Good), percent(float64(y.Good), float64(y.Offered)), count(y.Lost), count(y.Open),
			count(y.Attempts), count(y.RefusedTotal()), count(y.Late), span(quantile(&y.Latencies, 0.5)), span(quantile(&y.Latencies, 0.99)))
	}
	for i := range r.report.Kinds {
		k := &r.report.Kinds[i]
		row(strings.Trim(k.Source+"/"+k.Kind, "/"), &k.Tally)
	}
	classes := 0
	for c := range r.report.Classes {
		if r.report.Classes[c].Offered > 0 {
			classes++
		}
	}
	for c := class.CriticalPlus; classes > 1; c-- {
		if y := &r.report.Classes[c]; y.Offered > 0 {
			row(c.String(), y)
		}
		if c == class.Unset {
			break
		}
	}
	for i := range r.report.Calls {
		c := &r.report.Calls[i]
		row("calls of "+strings.Trim(c.Source+"/"+c.Kind, "/")+": "+c.Call, &c.Tally)
	}
	if len(t) > 2 {
		row("all", &r.report.Total)
	}
	t.Write(w)
	var reasons []string
	for i, n := range r.report.Total.Refused {
		if n > 0 {
			reasons = append(reasons, fmt.Sprintf("%s %d", sim.Reason(i), n))
		}
	}
	if len(reasons) > 0 {
		fmt.Fprintln(w, "refused for: "+strings.Join(reasons, ", "))
	}
}

// stations shows how full they were.
func (r *run) stations(w io.Writer) {
	t := console.Table{{"station", "capacity", "attempts", "inside, mean", "time there, mean", "deepest", "limit, last", "restarts"}}
	for i := range r.report.Stations {
		st := &r.report.Stations[i]
		deepest, last := 0, "-"
		for _, l := range st.Series {
			deepest = max(deepest, l.Depth)
			if l.Limit > 0 {
				last = fmt.Sprint(l.Limit)
			}
		}
		capacity := "-"
		if c := r.plan.Capacity[i]; c > 0 {
			capacity = number(c) + "/s"
		}
		t.Row(st.Station, capacity, count(st.Arrived), number(st.InSystem), span(st.Sojourn), fmt.Sprint(deepest), last, count(st.Restarts))
	}
	t.Write(w)
}

// several shows the figures of every seed, and their means.
func several(w io.Writer, runs []run) {
	t := console.Table{{"seed", "offered/s", "goodput/s", "throughput/s", "late/s", "refused/s", "p50", "p99"}}
	for i := range runs {
		f := runs[i].figures()
		t.Row(count(runs[i].seed), number(f.Offered), number(f.Goodput), number(f.Throughput), number(f.Late), number(f.Refused), seconds(f.P50), seconds(f.P99))
	}
	mean := func(of func(figures) float64, text func(float64) string) string {
		return estimated(over(runs, of)).with(text)
	}
	t.Row("mean", mean(offered, number), mean(goodput, number), mean(throughput, number), mean(late, number), mean(refused, number), mean(p50, seconds), mean(p99, seconds))
	t.Write(w)
	fmt.Fprintln(w, "± is half of the interval that has the true mean in 95 of 100 cases.")
}

func offered(f figures) float64    { return f.Offered }
func goodput(f figures) float64    { return f.Goodput }
func throughput(f figures) float64 { return f.Throughput }
func late(f figures) float64       { return f.Late }
func refused(f figures) float64    { return f.Refused }
func p50(f figures) float64        { return f.P50 }
func p99(f figures) float64        { return f.P99 }
