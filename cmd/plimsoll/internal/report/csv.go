package report

import (
	"encoding/csv"
	"io"
	"strconv"

	"github.com/plimsoll-go/plimsoll/cmd/plimsoll/internal/result"
)

// columns are those of the series after class and time.
var columns = []struct {
	name string
	of   func(result.Second) int64
}{
	{"offered", func(s result.Second) int64 { return s.Offered }},
	{"skipped", func(s result.Second) int64 { return s.Skipped }},
	{"good", func(s result.Second) int64 { return s.Good }},
	{"late", func(s result.Second) int64 { return s.Late }},
	{"refused", func(s result.Second) int64 { return s.Refused }},
	{"failed", func(s result.Second) int64 { return s.Failed }},
	{"answered", func(s result.Second) int64 { return s.Answered }},
	{"attempts", func(s result.Second) int64 { return s.Attempts }},
	{"done", func(s result.Second) int64 { return s.Done }},
}

// CSV writes what happened over time: a row for each class and step, all classes
// first. What columns count is what [result.Second] says; percentiles are empty
// where nobody was good or late.
func CSV(w io.Writer, r *result.Result) error {
	out := csv.NewWriter(w)
	rows := [][]string{header()}
	rows = append(rows, series(r, &r.All)...)
	for i := range r.Classes {
		rows = append(rows, series(r, &r.Classes[i])...)
	}
	return out.WriteAll(rows)
}

func header() []string {
	out := []string{"class", "time_s"}
	for _, c := range columns {
		out = append(out, c.name)
	}
	return append(out, "p50_ms", "p99_ms")
}

func series(r *result.Result, c *result.Class) (rows [][]string) {
	for i, s := range c.Series {
		row := []string{c.Name, real(float64(i) * r.Step)}
		for _, column := range columns {
			row = append(row, strconv.FormatInt(column.of(s), 10))
		}
		p50, p99 := "", ""
		if s.Good+s.Late > 0 {
			p50, p99 = real(s.P50), real(s.P99)
		}
		rows = append(rows, append(row, p50, p99))
	}
	return rows
}

func real(v float64) string { return strconv.FormatFloat(v, 'f', -1, 64) }
