package class

import (
	"encoding/json"
	"strings"
	"testing"
)

func TestCriticalityOrder(t *testing.T) {
	if !(CriticalPlus > Critical && Critical > SheddablePlus && SheddablePlus > Sheddable && Sheddable > Unset) {
		t.Fatal("the order of the criticalities is not their importance")
	}
	seen := [Count]bool{}
	last := CriticalPlus + 1
	for _, c := range All() {
		if c >= last || !c.Valid() || c.OrDefault() != c {
			t.Errorf("%v: out of order or not valid in All", c)
		}
		if got := FromLane(c.Lane()); got != c {
			t.Errorf("FromLane(%v.Lane()) = %v", c, got)
		}
		seen[c.Lane()] = true
		last = c
	}
	if seen != [Count]bool{true, true, true, true} {
		t.Errorf("lanes of All: %v, want each once", seen)
	}
}

func TestCriticalityDefault(t *testing.T) {
	for c := range Criticality(255) {
		want := c
		if c == 0 || c > CriticalPlus {
			want = Critical
		}
		if got := c.OrDefault(); got != want {
			t.Errorf("Criticality(%d).OrDefault() = %v, want %v", c, got, want)
		}
		if lane := c.Lane(); lane < 0 || lane >= Count {
			t.Errorf("Criticality(%d).Lane() = %d", c, lane)
		}
	}
	var zero Criticality
	if zero != Unset || zero.Lane() != Critical.Lane() {
		t.Error("the zero value is not Unset in the lane of Critical")
	}
}

func TestFromLanePanics(t *testing.T) {
	for _, lane := range []int{-1, Count} {
		func() {
			defer func() {
				if r, _ := recover().(string); !strings.HasPrefix(r, "class: ") {
					t.Errorf("FromLane(%d) panics with %q, want the package's name first", lane, r)
				}
			}()
			FromLane(lane)
		}()
	}
}

func TestParse(t *testing.T) {
	tests := []struct {
		in   string
		want Criticality
		ok   bool
	}{
		{"CRITICAL_PLUS", CriticalPlus, true},
		{"CRITICAL", Critical, true},
		{"SHEDDABLE_PLUS", SheddablePlus, true},
		{"SHEDDABLE", Sheddable, true},
		{"critical", Critical, true},
		{" \tCritical_Plus ", CriticalPlus, true},
		{"", Unset, false},
		{"   ", Unset, false},
		{"UNSET", Unset, false},
		{"CRITICAL-PLUS", Unset, false},
		{"CRITICAL PLUS", Unset, false},
		{"critical, sheddable", Unset, false},
		{"critical\x00", Unset, false},
		{"\u00a0critical", Unset, false},
		{"ſheddable", Unset, false},                      // U+017F folds to an S in Unicode
		{"\x13HEDDABLE", Unset, false},                   // 'S' & 0x1f: a fold by masking bits
		{"CRITICAL\x7fPLUS", Unset, false},               // '_' | 0x20
		{"INVALID(9)", Unset, false},                     // what String says
		{strings.Repeat("A", 1<<16), Unset, false},       // long
		{strings.Repeat(" ", 1<<16) + "x", Unset, false}, // long to trim
	}
	for _, tt := range tests {
		if got, ok := Parse(tt.in); got != tt.want || ok != tt.ok {
			t.Errorf("Parse(%.40q) = %v, %v; want %v, %v", tt.in, got, ok, tt.want, tt.ok)
		}
	}
	if n := testing.AllocsPerRun(100, func() { Parse(" sheddable_plus ") }); n != 0 {
		t.Errorf("Parse allocates %v times", n)
	}
}

// FuzzParse compares Parse with one that is slow and obvious.
func FuzzParse(f *testing.F) {
	for _, c := range All() {
		f.Add(c.String())
		f.Add("\t" + strings.ToLower(c.String()) + " ")
	}
	f.Add("ſheddable")
	f.Add("")
	f.Fuzz(func(t *testing.T, s string) {
		want := Unset
		upper := strings.Map(func(r rune) rune {
			if 'a' <= r && r <= 'z' {
				r -= 'a' - 'A'
			}
			return r
		}, strings.Trim(s, " \t"))
		for _, c := range All() {
			if upper == c.String() {
				want = c
			}
		}
		got, ok := Parse(s)
		if got != want || ok != (want != Unset) {
			t.Fatalf("Parse(%q) = %v, %v; want %v", s, got, ok, want)
		}
	})
}

func TestText(t *testing.T) {
	for c := Unset; c <= CriticalPlus; c++ {
		text, err := json.Marshal(c)
		if err != nil || string(text) != `"`+c.String()+`"` {
			t.Errorf("Marshal(%v) = %s, %v", c, text, err)
		}
		back := Criticality(99)
		if err := json.Unmarshal(text, &back); err != nil || back != c {
			t.Errorf("Unmarshal(%s) = %v, %v", text, back, err)
		}
	}
	if _, err := Criticality(9).MarshalText(); err == nil || !strings.HasPrefix(err.Error(), "class: ") {
		t.Errorf("MarshalText of what is not valid: %v", err)
	}
	if got := Criticality(9).String(); got != "INVALID(9)" {
		t.Errorf("String of what is not valid: %q", got)
	}
	c := SheddablePlus
	err := c.UnmarshalText([]byte(strings.Repeat("vip", 1000)))
	if err == nil || c != SheddablePlus || len(err.Error()) > 200 || !strings.Contains(err.Error(), "SHEDDABLE_PLUS") {
		t.Errorf("UnmarshalText of an unknown word: %v, %v; want a short error that has the names, nothing changed", c, err)
	}
}
