package page

import (
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/plimsoll-go/plimsoll/class"
	"github.com/plimsoll-go/plimsoll/cmd/plimsoll/internal/format"
	"github.com/plimsoll-go/plimsoll/sim"
)

// glance is a run in one line.
type glance struct {
	Name    string
	Share   string // of what was offered that was good
	Percent string // the same, as the width of a bar
	Cells   []string
}

// glanceColumns are those of Cells.
var glanceColumns = []string{
	"goodput/s", "throughput/s", "offered/s", "refused", "late", "attempts per request", "p50", "p99", "wait p99",
}

func newGlance(r Run, name string) glance {
	t, m := &r.Report.Total, newMeans(r.Report)
	g := glance{Name: name, Share: format.Share(float64(t.Good), float64(t.Offered)), Percent: "0"}
	if t.Offered > 0 {
		g.Percent = strconv.FormatFloat(100*float64(t.Good)/float64(t.Offered), 'f', 1, 64)
	}
	g.Cells = []string{
		format.Rate(m.good), format.Rate(m.done), format.Rate(m.offered),
		format.Count(t.RefusedTotal()), format.Count(t.Late), perRequest(&t.Counts),
		format.Wait(t.Latencies.Quantile(0.5)), format.Wait(t.Latencies.Quantile(0.99)), format.Wait(t.Waits.Quantile(0.99)),
	}
	return g
}

// GlanceColumns are those of the first table.
func (v *view) GlanceColumns() []string { return glanceColumns }

// table is figures of every run, run by run.
type table struct {
	ID, Title, Note string
	Columns         []string
	Groups          []group
}

// group is the rows of a run; those begin with a name.
type group struct {
	Name string
	Rows [][]string
}

func (d *Document) tables() []table {
	var out []table
	add := func(t table, rows func(Run) [][]string) {
		for _, r := range d.Runs {
			if rows := rows(r); len(rows) > 0 {
				t.Groups = append(t.Groups, group{d.name(r), rows})
			}
		}
		if len(t.Groups) > 0 {
			out = append(out, t)
		}
	}
	add(table{ID: "kinds", Title: "By kind of request", Note: tallyNote, Columns: append([]string{"kind"}, tallyColumns...)}, kindRows)
	add(table{ID: "classes", Title: "By class", Note: tallyNote, Columns: append([]string{"class"}, tallyColumns...)}, classRows)
	add(table{ID: "tenants", Title: "By tenant", Columns: append([]string{"tenant"}, countColumns...)}, tenantRows)
	add(table{ID: "calls", Title: "By call", Note: tallyNote, Columns: append([]string{"call"}, tallyColumns...)}, callRows)
	add(table{ID: "reasons", Title: "Refusals by reason", Columns: []string{"reason", "attempts", "share of refusals"}}, reasonRows)
	add(table{ID: "stations", Title: "By station", Note: "In the mean over the run; the height of what was in flight and waiting.",
		Columns: []string{"station", "arrived", "in the system", "time there", "most in flight", "most waiting", "restarts", "most memory"}}, stationRows)
	return out
}

const tallyNote = "Times of those that were answered in time, from the first attempt on; wasted is the share of the work that was for nobody."

var (
	countColumns = []string{"offered", "good", "lost", "open", "attempts per request", "refused", "late", "gave up", "failed", "held back", "wasted"}
	tallyColumns = append(slices.Clip(countColumns), "p50", "p99", "wait p99")
)

func countRow(name string, c *sim.Counts) []string {
	return []string{
		name, format.Count(c.Offered), format.Share(float64(c.Good), float64(c.Offered)), format.Count(c.Lost), format.Count(c.Open), perRequest(c),
		format.Count(c.RefusedTotal()), format.Count(c.Late), format.Count(c.GaveUp), format.Count(c.Failed), format.Count(c.Held),
		format.Share(float64(c.Wasted), float64(c.Worked)),
	}
}

func tallyRow(name string, t *sim.Tally) []string {
	return append(countRow(name, &t.Counts),
		format.Wait(t.Latencies.Quantile(0.5)), format.Wait(t.Latencies.Quantile(0.99)), format.Wait(t.Waits.Quantile(0.99)))
}

func perRequest(c *sim.Counts) string {
	if c.Offered == 0 {
		return "–"
	}
	return strconv.FormatFloat(float64(c.Attempts)/float64(c.Offered), 'f', 2, 64)
}

func kindRows(r Run) [][]string {
	var rows [][]string
	for i := range r.Report.Kinds {
		k := &r.Report.Kinds[i]
		name := k.Source
		if k.Kind != "" {
			name += " / " + k.Kind
		}
		rows = append(rows, tallyRow(name, &k.Tally))
	}
	return rows
}

func classRows(r Run) [][]string {
	var rows [][]string
	all := class.All()
	for _, c := range append(all[:], class.Unset) {
		if t := &r.Report.Classes[c]; t.Offered > 0 {
			rows = append(rows, tallyRow(c.String(), t))
		}
	}
	return rows
}

func tenantRows(r Run) [][]string {
	var rows [][]string
	for i := range r.Report.Tenants {
		t := &r.Report.Tenants[i]
		rows = append(rows, countRow(t.Tenant, &t.Counts))
	}
	if n := len(rows); n > mostTenants {
		rows = append(rows[:mostTenants], []string{fmt.Sprintf("and %d more", n-mostTenants)})
	}
	return rows
}

// mostTenants is how many tenants a table shows of one run.
const mostTenants = 100

func callRows(r Run) [][]string {
	var rows [][]string
	for i := range r.Report.Calls {
		c := &r.Report.Calls[i]
		rows = append(rows, tallyRow(fmt.Sprintf("%s / %s: %s", c.Source, c.Kind, c.Call), &c.Tally))
	}
	return rows
}

func reasonRows(r Run) [][]string {
	var rows [][]string
	total := r.Report.Total.RefusedTotal()
	for reason, n := range r.Report.Total.Refused {
		if n > 0 {
			rows = append(rows, []string{sim.Reason(reason).String(), format.Count(n), format.Share(float64(n), float64(total))})
		}
	}
	return rows
}

func stationRows(r Run) [][]string {
	var rows [][]string
	for i, s := range r.Report.Stations {
		name := s.Station
		if name == "" {
			name = strconv.Itoa(i)
		}
		flight, depth := 0, 0
		for _, l := range s.Series {
			flight, depth = max(flight, l.InFlight), max(depth, l.Depth)
		}
		rows = append(rows, []string{
			name, format.Count(s.Arrived), format.Rate(s.InSystem), format.Wait(s.Sojourn), format.Count(uint64(flight)), format.Count(uint64(depth)),
			format.Count(s.Restarts), format.Size(s.MostUsed),
		})
	}
	return rows
}

// fixedColumns is how many columns over time come before those of stations.
var fixedColumns = len(overTimeColumns)

var overTimeColumns = []string{"from", "offered/s", "goodput/s", "throughput/s", "attempts/s", "late/s", "refused/s", "mean wait", "longest wait"}

// overTime is the table beside the plots.
func (r shown) overTime(refused []class.Criticality) (columns []string, rows [][]string) {
	columns = slices.Clone(overTimeColumns)
	for _, s := range r.Report.Stations {
		at := ""
		if len(r.Report.Stations) > 1 {
			at = " at " + s.Station
		}
		columns = append(columns, "limit"+at, "in flight"+at, "waiting"+at)
	}
	s := r.series
	var classes [][]float64
	for _, c := range refused {
		columns = append(columns, c.String()+" refused/s")
		classes = append(classes, s.refused(c))
	}
	rates := [][]float64{
		s.perSecond(func(p sim.Point) uint64 { return p.Offered }),
		s.perSecond(func(p sim.Point) uint64 { return p.Good }),
		s.perSecond(func(p sim.Point) uint64 { return p.Done }),
		s.perSecond(func(p sim.Point) uint64 { return p.Attempts }),
		s.perSecond(func(p sim.Point) uint64 { return p.Late }),
		s.perSecond(func(p sim.Point) uint64 { return p.Refused }),
	}
	for i, p := range s.points {
		row := []string{moment(s.step * time.Duration(i))}
		for _, values := range rates {
			row = append(row, format.Rate(values[i]))
		}
		row = append(row, format.Wait(p.MeanWait()), format.Wait(p.MaxWait))
		for _, levels := range s.levels {
			l := levels[i]
			limit := "–"
			if l.Limit > 0 {
				limit = strconv.Itoa(l.Limit)
			}
			row = append(row, limit, strconv.Itoa(l.InFlight), strconv.Itoa(l.Depth))
		}
		for _, values := range classes {
			row = append(row, format.Rate(values[i]))
		}
		rows = append(rows, row)
	}
	return columns, rows
}

// moment is a time of the run.
func moment(at time.Duration) string { return strconv.FormatFloat(at.Seconds(), 'f', -1, 64) + " s" }
