package mix

import (
	"io/fs"
	"strings"
	"testing"

	"github.com/plimsoll-go/plimsoll/class"
	"github.com/plimsoll-go/plimsoll/cmd/plimsoll/internal/schedule"
	"github.com/plimsoll-go/plimsoll/cmd/plimsoll/internal/strict"
	"github.com/plimsoll-go/plimsoll/sim"
)

// sound looks at what a mix has, and draws of it.
func sound(t *testing.T, m *Mix, input string) {
	names, rng := map[string]bool{}, source(1)
	for i, c := range m.Classes {
		if names[c.Name] || !name.MatchString(c.Name) || !(c.Weight > 0 && c.Weight <= m.all.upTo[i]) || c.Deadline <= 0 || c.Deadline > maxDeadline || c.Method == "" ||
			!c.Criticality.Valid() || c.Level > class.MaxLevel || c.Retry.Attempts > 1+maxRetries || c.Retry.Budget < 0 || c.Protocol > GRPC {
			t.Fatalf("%q makes a class %+v", input, c)
		}
		names[c.Name] = true
	}
	for _, a := range []schedule.Arrival{{}, {Recorded: &sim.Record{Kind: "a", Criticality: class.Sheddable, Tenant: "t x"}}} {
		for range 3 {
			r := m.Draw(rng, &a)
			if !isTarget(r.Path) || len(r.Body) > 2*maxBody || r.Deadline <= 0 || strings.ContainsAny(r.Tenant, "\r\n") {
				t.Fatalf("%q makes a request %+v", input, r)
			}
		}
	}
}

func told(t *testing.T, err error, input string) {
	faults, ok := strict.FaultsOf(err)
	if !ok || len(faults) == 0 {
		t.Fatalf("%q: %v, which is no fault", input, err)
	}
	for _, f := range faults {
		if f.Want == "" || f.Key == "" && f.File == "" || strings.ContainsAny(f.String(), "\r\n") {
			t.Errorf("%q: a fault without a place, or of several lines: %q", input, f)
		}
	}
}

// Nothing panics, every fault has a place, and what is accepted can be drawn of.
func FuzzClassFlags(f *testing.F) {
	f.Add("critical:0.7,deadline=200ms,retries=2", "sheddable")
	f.Add("critical:0.7,body=`{\"a\":1}`,header=A: b", `unset,name=a,template="{{.Tenant}}",tenants=a|b,level=tenant`)
	f.Add("critical,body=`", `critical,body="a"b`)
	f.Add("critical,path=/{{.Int 1 9}}{{.Pick \"\\n\"}}", ",,=,==")
	f.Add("critical,protocol=grpc,method=/a.b/C", "critical,tenants=1,skew=2,budget=10%")
	f.Fuzz(func(t *testing.T, one, other string) {
		flags := Flags{Class: []string{one, other}}
		for _, text := range flags.Class {
			if strings.Contains(text, "file") { // it may be there
				return
			}
		}
		m, err := flags.Mix(false)
		if err != nil {
			told(t, err, one+" "+other)
			return
		}
		sound(t, m, one+" "+other)
	})
}

// The same of a file; and what is accepted has no key that the schema does not know.
func FuzzFile(f *testing.F) {
	f.Add(full, "{{.Tenant}}")
	f.Add("classes: {a: {}}", "")
	f.Add("defaults: &a {deadline: 1s, headers: {a: b}}\nclasses: {a: *a, b: {tenants: &t [x, y]}, c: {tenants: *t}}", "")
	f.Add("classes: {a: {template: \"{{.Hex 3}}\", path: '/{{.Pick \"a\" \"b c\"}}'}}", "{{")
	f.Fuzz(func(t *testing.T, text, beside string) {
		r := newReader("mix.yaml")
		r.open = func(name string) ([]byte, error) {
			if strings.Contains(name, "no") {
				return nil, fs.ErrNotExist
			}
			return []byte(beside), nil
		}
		m, err := r.mix(r.file([]byte(text), newDraft(strict.Value{})))
		if err != nil {
			told(t, err, text)
			return
		}
		sound(t, m, text)
	})
}
