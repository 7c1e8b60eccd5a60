package config

import (
	"reflect"
	"strings"
	"testing"
)

// Nothing panics, every fault has a place, and what is accepted is printed as
// a file that means the same, to the schema as well.
func FuzzFile(f *testing.F) {
	f.Add(full)
	f.Add(minimal)
	f.Add("!%80")
	f.Add("listeners: [0, {}]")
	f.Add("a: &a [*a]\nversion: 1")
	f.Add("<<: {limit: 1}\nroutes: [{match: {path: /*/}}]")
	f.Add("version: 1\nupstreams: {shop: {endpoints: [http://127.0.0.1%8000, 'http://[fe80::1%25eth0]:80', http://m%C3%BCller.example]}}")
	f.Add("version: 1\nupstreams: {shop: {endpoints: ['http://[fe80::1%25eth0]:80', http://m%C3%BCller.example]}}")
	f.Add("gates: {shop: {limit: 3, shares: {CRITICAL: 7%}}}\ntrust: {networks: [1.2.3.4/1]}" + minimal)
	read := func(text string) (Config, *reader) {
		c, r := Default(), newReader()
		r.document("gate.yaml", []byte(text), &c)
		r.complete(Flags{Config: "gate.yaml"}, &c)
		return c, r
	}
	s := compiled(f)
	f.Fuzz(func(t *testing.T, text string) {
		before, r := read(text)
		if len(r.Faults) > 0 {
			for _, fault := range r.Faults {
				if fault.File != "gate.yaml" || fault.Line == 0 && fault.Key == "" && !strings.Contains(fault.Want, "empty") || fault.Want == "" || strings.ContainsAny(fault.String(), "\n\r") {
					t.Errorf("%q: a fault without a place: %q", text, fault)
				}
			}
			return
		}
		var b strings.Builder
		if err := before.Print(&b); err != nil {
			t.Fatal(err)
		}
		after, again := read(b.String())
		if err := again.Faults.Err(); err != nil || !reflect.DeepEqual(before, after) {
			t.Errorf("%q was printed as\n%s\nwhich reads back as %+v, %v", text, b.String(), after, err)
		}
		if err := validate(s, b.String()); err != nil {
			t.Errorf("%q was printed as\n%s\nwhich the schema refuses: %v", text, b.String(), err)
		}
		for _, g := range before.Gates {
			if err := g.Plimsoll().Validate(); err != nil {
				t.Error(err)
			}
		}
	})
}
