package live

import (
	"time"

	"github.com/plimsoll-go/plimsoll/bench/internal/fronts"
)

// Report is what one command has shown.
type Report struct {
	Go         string       `json:"go"`
	Platform   string       `json:"platform"`
	Processors int          `json:"processors"`
	Began      time.Time    `json:"began"`
	Took       float64      `json:"took_s"`
	Rounds     int          `json:"rounds"`
	Deadline   float64      `json:"deadline_s"`
	Slots      int          `json:"slots"`
	Service    float64      `json:"service_ms"`
	Lengths    Lengths      `json:"lengths_s"`
	Capacity   [2]float64   `json:"capacity_per_s"` // the least and the most of all that was measured
	Busy       Busy         `json:"machine"`
	Fronts     []FrontAbout `json:"fronts"`
	Rows       []RowReport  `json:"rows"`
}

// Busy is what else the machine did: its load average, where it tells.
type Busy struct {
	Before string `json:"load_average_before,omitempty"`
	After  string `json:"load_average_after,omitempty"`
}

// FrontAbout says what was played.
type FrontAbout struct {
	Name    string `json:"name"`
	Title   string `json:"title"`
	Version string `json:"version,omitempty"` // of what is not of this module
	Skipped string `json:"skipped,omitempty"` // why it was not played; empty: it was
	tuned   string
	file    string
}

// RowReport is a row with what each front made of it.
type RowReport struct {
	Name  string `json:"name"`
	Title string `json:"title"`
	Cells []Cell `json:"cells"` // in the order of the fronts; those that were skipped have none
}

// Cell is what a front made of a row.
type Cell struct {
	Median Figures   `json:"median"` // of the rounds that count; of the last, if none does
	Valid  bool      `json:"valid"`
	Rounds []Figures `json:"rounds"` // with those that are void and were played again
}

// About says of a front what a report says.
func About(f fronts.Front, facts fronts.Facts, version, skipped string) FrontAbout {
	a := FrontAbout{Name: f.Name, Title: f.Title, Version: version, Skipped: skipped, tuned: f.Tuned}
	if f.File != nil {
		a.file = f.File(facts)
	}
	return a
}

// within is how far behind the first a front may be to count as first: what
// two runs of the same differ by.
const within = 0.01

// Standing is where Plimsoll stands in a row, by goodput of the critical
// classes as a share of the possible.
type Standing struct {
	Row    string  `json:"row"`
	Best   string  `json:"best"` // who is first
	First  float64 `json:"first"`
	Ours   float64 `json:"ours"`
	Behind float64 `json:"behind"` // of what was possible
	Held   bool    `json:"held"`   // first, or within a hundredth of it
	Others int     `json:"others"` // how many others have a run that counts
	Void   int     `json:"void"`   // how many others have none
}

// Standing is where Plimsoll stands in the row, among the runs that count;
// false: its own does not, or no other's does.
func (r RowReport) Standing() (Standing, bool) {
	s := Standing{Row: r.Name}
	ours := false
	for _, c := range r.Cells {
		if !c.Valid {
			s.Void++
			continue
		}
		if s.Best == "" || c.Median.Critical > s.First {
			s.Best, s.First = c.Median.Front, c.Median.Critical
		}
		if c.Median.Front == fronts.Plimsoll {
			s.Ours, ours = c.Median.Critical, true
		} else {
			s.Others++
		}
	}
	s.Behind = max(0, s.First-s.Ours)
	s.Held = s.Behind <= within
	return s, ours && s.Others > 0
}

// Saw counts a measurement of the capacity.
func (r *Report) Saw(capacity float64) {
	if r.Capacity[0] == 0 || capacity < r.Capacity[0] {
		r.Capacity[0] = capacity
	}
	r.Capacity[1] = max(r.Capacity[1], capacity)
}
