package simulate

import (
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"strconv"
	"strings"
	"text/tabwriter"

	"github.com/plimsoll-go/plimsoll/cmd/plimsoll/internal/sweep"
)

// columns are the figures of a place, by name.
var columns = []struct {
	name string
	of   func(sweep.Point) float64
	by   int // digits behind the point, for people
}{
	{"good_share", sweep.Point.GoodShare, 3},
	{"amplification", sweep.Point.Amplification, 2},
	{"last_offered_per_s", func(p sweep.Point) float64 { return p.LastOffered }, 1},
	{"last_attempts_per_s", func(p sweep.Point) float64 { return p.LastAttempts }, 1},
	{"last_goodput_per_s", func(p sweep.Point) float64 { return p.LastGood }, 1},
	{"last_throughput_per_s", func(p sweep.Point) float64 { return p.LastDone }, 1},
	{"last_share", func(p sweep.Point) float64 { return p.LastShare }, 3},
	{"runs", func(p sweep.Point) float64 { return float64(p.Runs) }, 0},
	{"runs_up", func(p sweep.Point) float64 { return float64(p.Up) }, 0},
	{"runs_stuck", func(p sweep.Point) float64 { return float64(p.Lost) }, 0},
}

// header are the names of the axes, of the figures, and of the two verdicts.
func (s *swept) header() []string {
	var out []string
	for _, a := range s.grid {
		out = append(out, a.Name)
	}
	for _, f := range columns {
		out = append(out, f.name)
	}
	return append(out, "up", "stuck")
}

// row is one place, its figures with so many digits as people want or with all
// of them.
func (s *swept) row(p sweep.Point, all bool) []string {
	var out []string
	for _, v := range s.grid.Values(p.At) {
		out = append(out, v.Text)
	}
	for _, f := range columns {
		digits := f.by
		if all {
			digits = -1
		}
		out = append(out, strconv.FormatFloat(f.of(p), 'f', digits, 64))
	}
	return append(out, strconv.FormatBool(!p.Down()), strconv.FormatBool(p.Stuck()))
}

func (s *swept) writeCSV(w io.Writer) error {
	c := csv.NewWriter(w)
	rows := [][]string{s.header()}
	for _, p := range s.points {
		rows = append(rows, s.row(p, true))
	}
	return c.WriteAll(rows)
}

func (s *swept) writeJSON(w io.Writer) error {
	type place map[string]any
	out := struct {
		Scenario string  `json:"scenario"`
		Seed     uint64  `json:"seed"`
		Places   []place `json:"places"`
	}{Scenario: s.file.Name, Seed: s.Seed, Places: []place{}}
	for _, p := range s.points {
		at := place{}
		for i, v := range s.grid.Values(p.At) {
			if at[s.grid[i].Name] = any(v.Number); v.Named() {
				at[s.grid[i].Name] = v.Text
			}
		}
		of := place{"at": at, "up": !p.Down(), "stuck": p.Stuck()}
		for _, f := range columns {
			of[f.name] = f.of(p)
		}
		out.Places = append(out.Places, of)
	}
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	return e.Encode(out)
}

// writeText draws maps in letters, or writes a table where fewer than two
// numbers vary.
func (s *swept) writeText(w io.Writer) error {
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n", s.file.Name)
	if s.across() < 2 {
		t := tabwriter.NewWriter(&b, 0, 0, 2, ' ', tabwriter.AlignRight)
		fmt.Fprintln(t, strings.Join(s.header(), "\t")+"\t")
		for _, p := range s.points {
			fmt.Fprintln(t, strings.Join(s.row(p, false), "\t")+"\t")
		}
		t.Flush()
	} else {
		b.WriteString(legend)
		for _, p := range s.parts() {
			for _, m := range p.panels {
				fmt.Fprintf(&b, "\n%s\n%s\n", strings.Trim(p.title+", "+m.name, ", "), s.caption(m))
				s.letters(&b, m)
			}
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}

const legend = `At the end of the run:  · up, goodput is 95 % of what could be served or more
                       ██ stays down, attempts come as fast as they are got through
                        3 still draining what it has, goodput 0.3 of what could be served
`

// letters draws a map, a letter for each place.
func (s *swept) letters(b *strings.Builder, m panel) {
	x, y := s.grid[len(s.grid)-1], s.grid[len(s.grid)-2]
	margin := len(y.Name)
	for _, v := range y.Values {
		margin = max(margin, len(v.Text))
	}
	fmt.Fprintf(b, "%*s\n", margin, y.Name)
	for row := len(y.Values) - 1; row >= 0; row-- {
		fmt.Fprintf(b, "%*s ", margin, y.Values[row].Text)
		for column := range x.Values {
			b.WriteString(letter(m.points[row*len(x.Values)+column]))
		}
		b.WriteByte('\n')
	}
	first, last := x.Values[0].Text, x.Values[len(x.Values)-1].Text
	fmt.Fprintf(b, "%*s %s%*s %s\n", margin, "", first, max(1, 2*len(x.Values)-len(first)), last, x.Name)
}

// letter is a place, two letters wide.
func letter(p sweep.Point) string {
	switch {
	case !p.Down():
		return "· "
	case p.Stuck():
		return "██"
	}
	return strconv.Itoa(int(10*p.LastShare)) + " "
}
