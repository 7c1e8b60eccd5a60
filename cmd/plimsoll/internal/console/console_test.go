package console

import (
	"fmt"
	"strings"
	"testing"
)

func TestTable(t *testing.T) {
	var b strings.Builder
	table := Table{{"name", "µs", ""}}
	table.Row("a", "1", "x")
	table.Row("longer", "1,000")
	table.Write(&b)
	if got, want := b.String(), "name       µs\na           1  x\nlonger  1,000\n"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

func TestPlot(t *testing.T) {
	var b strings.Builder
	Plot(&b, []Curve{{"offered", []float64{0, 0.001, 4, 8}}, {"good", []float64{8, 8, 1, 0}}}, "4s", func(v float64) string { return fmt.Sprint(v, "/s") })
	if got, want := b.String(), "offered    | ▁▄█|\ngood       |██▁ |\n            0 4s   highest bar 8/s\n"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	b.Reset()
	Plot(&b, []Curve{{"none", []float64{0, 0}}}, "2s", func(v float64) string { return fmt.Sprint(v) })
	if got := b.String(); !strings.HasPrefix(got, "none       |  |\n") {
		t.Errorf("%q", got)
	}
}
