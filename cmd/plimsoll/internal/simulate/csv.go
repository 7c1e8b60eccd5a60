package simulate

import (
	"encoding/csv"
	"io"
	"strconv"
	"time"
)

// writeCSV writes what happened over time, a bucket a row: what happened
// everywhere within it, and each station at its end.
func (r *result) writeCSV(w io.Writer) error {
	out := csv.NewWriter(w)
	head := []string{"policy", "seed", "time_s", "offered", "attempts", "good", "late", "refused", "failed", "held", "done", "mean_wait_s"}
	for i := range r.runs[0].report.Stations {
		name := r.runs[0].report.Stations[i].Station
		head = append(head, name+" limit", name+" in_flight", name+" depth")
	}
	rows := [][]string{head}
	whole := func(n uint64) string { return strconv.FormatUint(n, 10) }
	real := func(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) }
	for _, run := range r.runs {
		rep := run.report
		for i, p := range rep.Series {
			row := []string{
				run.policy, whole(run.seed), real((time.Duration(i) * rep.Bucket).Seconds()),
				whole(p.Offered), whole(p.Attempts), whole(p.Good), whole(p.Late), whole(p.Refused), whole(p.Failed), whole(p.Held), whole(p.Done),
				real(p.MeanWait().Seconds()),
			}
			for j := range rep.Stations {
				l := rep.Stations[j].Series[i]
				row = append(row, strconv.Itoa(l.Limit), strconv.Itoa(l.InFlight), strconv.Itoa(l.Depth))
			}
			rows = append(rows, row)
		}
	}
	return out.WriteAll(rows)
}
