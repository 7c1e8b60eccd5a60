package measure

import (
	"strings"
	"testing"

	"github.com/plimsoll-go/plimsoll/cmd/plimsoll/internal/strict"
)

// read reads expectations of a file that has these names.
func read(text string) ([]Expectation, strict.Faults) {
	r := &strict.Reader{}
	root, ok := r.Document("f.yaml", "expectations", []byte(text))
	if !ok {
		return nil, r.Faults
	}
	all := Decode(r, root, Known{
		Policies: []string{"unbounded", "default"}, Parameters: []string{"load"},
		Stations: []string{"backend"}, Sources: []string{"browsers"}, Kinds: []string{"checkout"}, Tenants: []string{},
	})
	return all, r.Faults
}

func TestFaultsAreNamedAtOnceByLine(t *testing.T) {
	for _, tc := range []struct{ name, text, want string }{
		{"several", `
- {measure: goodputt, is: 1}
- {measure: goodput, is: 1, at-least: 2, polcy: x}
- {measure: depth, is: soon}
`, `
f.yaml:2: [0].measure: want a measure; did you mean goodput?, have goodputt
f.yaml:3: [1].polcy: want a known key; did you mean policy?
f.yaml:3: [1].at-least: want one bound, have is and at-least
f.yaml:4: [2].is: want a number, a percentage or a duration, such as 0.99, 99% or 250ms, or never, have soon
f.yaml:4: [2].measure: want at: with it, for depth
`},
		{"names", `
- measure: goodput
  policy: unbouded
  station: front
  with: {laod: 2}
  at-least: 1
`, `
f.yaml:3: [0].policy: want a policy; did you mean unbounded?, have unbouded
f.yaml:4: [0].station: want a station: backend, have front
f.yaml:5: [0].with.laod: want a parameter of the file: load
`},
		{"what does not fit", `
- {measure: end, from: 1s, is: 2s}
- {measure: goodput, from: 3s, to: 2s, below: 1, within: 1%}
- {measure: good}
- {is: 1}
- {measure: good, is: 1, minus: {policy: nobody}, over: {policy: default}}
`, `
f.yaml:2: [0].from: want it left out: end does not read it
f.yaml:3: [1].within: want is: with it; a bound has no tolerance
f.yaml:3: [1].to: want it after from, 3s
f.yaml:4: [2]: want what is expected: one of is, at-least, at-most, below, above, between
f.yaml:5: [3]: want measure: one of ` + strings.Join(Names(), ", ") + `
f.yaml:6: [4].over: want either minus or over
f.yaml:6: [4].minus.policy: want a policy: unbounded, default, have nobody
`},
		{"no list", `measure: goodput`, `
f.yaml:1: want a list of figures, such as {measure: goodput, per: capacity, at-least: 0.95}, have keys with values
`},
	} {
		t.Run(tc.name, func(t *testing.T) {
			_, faults := read(tc.text)
			if got, want := faults.Error(), strings.TrimSpace(tc.want); got != want {
				t.Errorf("have\n%s\nwant\n%s", got, want)
			}
		})
	}
}

// FuzzDecode holds that no text makes it panic, and that what is read without
// a fault can be judged.
func FuzzDecode(f *testing.F) {
	f.Add("- {measure: goodput, is: 1, within: 3 standard errors}")
	f.Add("- {measure: fall, level: 5%, between: [1s, 2s], over: {measure: latency, quantile: 0.5}}")
	f.Add("- {name: a/b, pending: later}\n- {measure: refused, reason: [expired], is: never, says: false}")
	f.Fuzz(func(t *testing.T, text string) {
		all, _ := read(text)
		for i := range all {
			e := &all[i]
			if e.Pending != "" {
				continue
			}
			v := e.judge([]float64{1, 2, 3})
			Lay([]Verdict{v})
			_, _ = e.Wanted(), v.Had()
		}
	})
}
