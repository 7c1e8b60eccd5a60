package report

import "fmt"

// Target is a figure that is to be held: at most, or at least where AtLeast is
// set.
type Target struct {
	What    string
	Want    float64
	AtLeast bool
	Unit    string
	Have    func(*Report) (float64, bool) // false: the run did not measure it
}

// Check is a target with what a run has shown.
type Check struct {
	What string  `json:"what"`
	Want string  `json:"want"`
	Have float64 `json:"have"`
	Held bool    `json:"held"`
}

// Judge adds the checks of those targets that the run has measured.
func (r *Report) Judge(targets []Target) {
	for _, t := range targets {
		have, ok := t.Have(r)
		if !ok {
			continue
		}
		sign, held := "<=", have <= t.Want
		if t.AtLeast {
			sign, held = ">=", have >= t.Want
		}
		want := fmt.Sprintf("%s %v", sign, t.Want)
		if t.Unit != "" {
			want += " " + t.Unit
		}
		r.Targets = append(r.Targets, Check{t.What, want, have, held})
	}
}

// Of finds a limiter's figure in a group by their names.
func Of(title, name string, figure func(Row) float64) func(*Report) (float64, bool) {
	return func(r *Report) (float64, bool) {
		for _, g := range r.Groups {
			for _, row := range g.Rows {
				if g.Title == title && row.Name == name {
					return figure(row), true
				}
			}
		}
		return 0, false
	}
}

// OfWeb finds a handler's figure by its name.
func OfWeb(name string, figure func(Web) float64) func(*Report) (float64, bool) {
	return func(r *Report) (float64, bool) {
		for _, row := range r.HTTP {
			if row.Name == name {
				return figure(row), true
			}
		}
		return 0, false
	}
}
