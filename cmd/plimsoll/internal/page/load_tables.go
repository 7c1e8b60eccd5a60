package page

import (
	"cmp"
	"maps"
	"slices"
	"strconv"

	"github.com/plimsoll-go/plimsoll/cmd/plimsoll/internal/format"
	"github.com/plimsoll-go/plimsoll/cmd/plimsoll/internal/result"
)

// loadGlanceColumns are those of Cells.
var loadGlanceColumns = []string{"criticality", "offered", "good", "late", "refused", "failed", "not sent", "attempts per request", "p50", "p99", "recovery"}

// GlanceColumns are those of the first table.
func (v *loadView) GlanceColumns() []string { return loadGlanceColumns }

// Glance is a line for all classes, and one for each.
func (v *loadView) Glance() []glance {
	out := []glance{v.glance(&v.Result.All, "all")}
	if len(v.classes) > 1 {
		for _, c := range v.classes {
			out = append(out, v.glance(c, c.Name))
		}
	} else if len(v.classes) == 1 {
		out[0] = v.glance(v.classes[0], v.classes[0].Name)
	}
	return out
}

func (v *loadView) glance(c *result.Class, name string) glance {
	number := func(n int64) string { return format.Count(uint64(max(n, 0))) }
	g := glance{Name: name, Share: format.Share(float64(c.Good), float64(c.Offered)), Percent: strconv.FormatFloat(100*c.Share(c.Good), 'f', 1, 64)}
	recovery := "–"
	switch {
	case c.Recovery != nil:
		recovery = format.Seconds(*c.Recovery)
	case v.Result.PeakEnd != nil:
		recovery = "not within the run"
	}
	amplification := "–"
	if c.Sent > 0 {
		amplification = strconv.FormatFloat(c.Amplification(), 'f', 2, 64)
	}
	g.Cells = []string{
		c.Criticality, number(c.Offered), number(c.Good), number(c.Late), number(result.Sum(c.Refused)), number(result.Sum(c.Failed)),
		number(result.Sum(c.Skipped)), amplification, milliseconds(c.Latency.P50), milliseconds(c.Latency.P99), recovery,
	}
	return g
}

func (v *loadView) tables() []table {
	out := []table{v.times()}
	for _, t := range []struct {
		table
		requests func(*result.Class) map[string]int64
		attempts func(*result.Class) map[string]int64 // nil: none was made
	}{
		{table{ID: "reasons", Title: "Refusals by reason"}, func(c *result.Class) map[string]int64 { return c.Refused }, func(c *result.Class) map[string]int64 { return c.AttemptsRefused }},
		{table{ID: "failures", Title: "Failures"}, func(c *result.Class) map[string]int64 { return c.Failed }, func(c *result.Class) map[string]int64 { return c.AttemptsFailed }},
		{table{ID: "skipped", Title: "Not sent", Note: "What could not be sent at its time. It counts as offered."}, func(c *result.Class) map[string]int64 { return c.Skipped }, nil},
	} {
		t.Columns = []string{"reason", "requests", "of the offered"}
		if t.attempts != nil {
			t.Columns = append(t.Columns, "attempts")
		}
		v.each(func(name string, c *result.Class) {
			if rows := reasonsOf(c, t.requests, t.attempts); len(rows) > 0 {
				t.Groups = append(t.Groups, group{name, rows})
			}
		})
		if len(t.Groups) > 0 {
			out = append(out, t.table)
		}
	}
	return out
}

// each calls use for all classes together where there is one, and for each of
// several.
func (v *loadView) each(use func(name string, c *result.Class)) {
	if len(v.classes) < 2 {
		use("", &v.Result.All)
		return
	}
	for _, c := range v.classes {
		use(c.Name, c)
	}
}

// reasonsOf are rows of what was counted by reason, the most frequent first.
func reasonsOf(c *result.Class, requests, attempts func(*result.Class) map[string]int64) [][]string {
	of, tried := requests(c), map[string]int64{}
	if attempts != nil {
		tried = attempts(c)
	}
	names := slices.Collect(maps.Keys(of))
	for name := range tried {
		if _, ok := of[name]; !ok {
			names = append(names, name)
		}
	}
	slices.SortFunc(names, func(a, b string) int {
		return cmp.Or(cmp.Compare(of[b], of[a]), cmp.Compare(tried[b], tried[a]), cmp.Compare(a, b))
	})
	var rows [][]string
	for _, name := range names {
		if of[name] == 0 && tried[name] == 0 {
			continue
		}
		row := []string{name, format.Whole(float64(of[name])), format.Share(float64(of[name]), float64(c.Offered))}
		if attempts != nil {
			row = append(row, format.Whole(float64(tried[name])))
		}
		rows = append(rows, row)
	}
	return rows
}

// times are how durations lie.
func (v *loadView) times() table {
	t := table{
		ID: "times", Title: "Times", Columns: []string{"time", "of", "mean", "p50", "p90", "p99", "p99.9", "longest"},
		Note: "Latency is what counts: from when a request was due. Service is what a generator would show that waits for one answer before it sends the next. Slip is how late this one sent.",
	}
	v.each(func(name string, c *result.Class) {
		g := group{Name: name}
		for _, of := range []struct {
			name  string
			times *result.Times
		}{{"latency", &c.Latency}, {"service", &c.Service}, {"slip", &c.Slip}, {"until turned away", &c.Turned}} {
			if d := of.times; d.Count > 0 {
				g.Rows = append(g.Rows, []string{
					of.name, format.Count(uint64(d.Count)), milliseconds(d.Mean), milliseconds(d.P50), milliseconds(d.P90),
					milliseconds(d.P99), milliseconds(d.P999), milliseconds(d.Max),
				})
			}
		}
		if len(g.Rows) > 0 {
			t.Groups = append(t.Groups, g)
		}
	})
	return t
}
