package simulate

import (
	"fmt"
	"io"

	"github.com/plimsoll-go/plimsoll/cmd/plimsoll/internal/console"
	"github.com/plimsoll-go/plimsoll/cmd/plimsoll/internal/measure"
	"github.com/plimsoll-go/plimsoll/cmd/plimsoll/internal/progress"
)

// verdict is what became of something that the file expects.
type verdict struct {
	Figure  string `json:"figure"`
	Policy  string `json:"policy,omitempty"`
	Want    string `json:"want"`
	Got     string `json:"got"`
	OK      bool   `json:"ok"`
	Pending string `json:"pending,omitempty"` // why there is no figure yet
}

// unmet says that something did not come out as expected.
type unmet struct{ missed, of int }

func (u unmet) Error() string {
	return fmt.Sprintf("sim: %d of %d figures are not as expected", u.missed, u.of)
}

// judge plays what the file expects, which is about the file as it stands: with
// its own parameters and the seeds from 1 on.
func (s *setup) judge(line *progress.Line) ([]verdict, error) {
	all, err := measure.Of(s.file)
	if err != nil || len(all) == 0 || len(s.set) > 0 {
		return nil, err
	}
	judged, err := measure.Evaluate(all, s.file.Seeds, measure.From(s.file, nil), line.Part(""))
	if err != nil {
		return nil, err
	}
	var out []verdict
	for i := range judged {
		v := &judged[i]
		out = append(out, verdict{
			Figure: v.Of.Name, Policy: v.Of.Figure.Policy, Want: v.Of.Wanted(), Got: v.Had(), OK: v.OK, Pending: v.Of.Pending,
		})
	}
	return out, nil
}

// met is an error where something is not as expected.
func (r *result) met() error {
	u := unmet{of: len(r.verdicts)}
	for _, v := range r.verdicts {
		if !v.OK && v.Pending == "" {
			u.missed++
		}
	}
	if u.missed == 0 {
		return nil
	}
	return u
}

func (r *result) writeVerdicts(w io.Writer) {
	if len(r.verdicts) == 0 {
		return
	}
	t := console.Table{{"expected", "policy", "wanted", "got", ""}}
	for _, v := range r.verdicts {
		word := "MISSED"
		switch {
		case v.Pending != "":
			word = "pending"
		case v.OK:
			word = "ok"
		}
		t.Row(v.Figure, v.Policy, v.Want, v.Got, word)
	}
	fmt.Fprintln(w)
	t.Write(w)
}
