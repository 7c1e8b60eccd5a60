package reference

import (
	"slices"

	"github.com/plimsoll-go/plimsoll/cmd/plimsoll/internal/measure"
	"github.com/plimsoll-go/plimsoll/cmd/plimsoll/internal/progress"
	"github.com/plimsoll-go/plimsoll/cmd/plimsoll/internal/scenario"
)

// result is what became of a case.
type result struct {
	of       *kase
	verdicts []measure.Verdict // of all files
	ok       bool              // all that is not pending
	why      []string          // what is pending, and why
}

// options are how cases are played.
type options struct {
	exactly int                // seeds of every file; 0: as many as it says
	scale   map[string]float64 // by which parameters are multiplied
	line    *progress.Line     // nil: nobody is told
}

// play plays a case.
func (c *kase) play(o options) (result, error) {
	r := result{of: c, ok: c.pending == ""}
	if c.pending != "" {
		r.why = []string{c.pending}
		return r, nil
	}
	for i, f := range c.files {
		var told func(done, of int)
		if o.line != nil {
			told = o.line.Part(c.id)
		}
		verdicts, err := measure.Evaluate(c.expected[i], o.seeds(f), measure.From(f, o.scale), told)
		if err != nil {
			return r, err
		}
		r.verdicts = append(r.verdicts, verdicts...)
	}
	for i := range r.verdicts {
		v := &r.verdicts[i]
		if why := v.Of.Pending; why != "" {
			if !slices.Contains(r.why, why) {
				r.why = append(r.why, why)
			}
			continue
		}
		r.ok = r.ok && v.OK
	}
	return r, nil
}

func (o options) seeds(f *scenario.File) int {
	if o.exactly > 0 {
		return o.exactly
	}
	return f.Seeds
}
