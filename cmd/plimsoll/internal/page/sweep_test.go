package page

import (
	"strings"
	"testing"

	"github.com/plimsoll-go/plimsoll/cmd/plimsoll/internal/plot"
	"github.com/plimsoll-go/plimsoll/internal/golden"
)

// heatMaps is a sweep of two parts with a map each.
func heatMaps(name string) Sweep {
	s := Sweep{
		Name: name, About: name + "\n\nplimsoll sim sweep " + name, Source: name, Parameters: []Parameter{{name, name}}, Seeds: "1", Command: name,
		X: Axis{name, []string{"0.1", name}}, Y: Axis{name, []string{"0", "100"}},
		Columns: []string{name}, Rows: [][]string{{name}},
	}
	for _, mark := range []bool{true, false} {
		m := Map{Name: name, Caption: name, Cells: make([]plot.Cell, 4)}
		for i := range m.Cells {
			m.Cells[i] = plot.Cell{Share: float64(i) / 3, Mark: mark && i == 1, Title: name}
		}
		s.Parts = append(s.Parts, Part{Title: name, Maps: []Map{m}})
	}
	return s
}

func TestSweepIsAsItWas(t *testing.T) {
	var page, picture strings.Builder
	if err := WriteSweep(&page, heatMaps("load")); err != nil {
		t.Fatal(err)
	}
	golden.File(t, "testdata/sweep.html", page.String())
	if err := WritePicture(&picture, heatMaps("load")); err != nil {
		t.Fatal(err)
	}
	golden.File(t, "testdata/sweep.svg", picture.String())
}

func TestSweepEscapes(t *testing.T) {
	const evil = `<script>alert(1)</script>"'&`
	var b strings.Builder
	if err := WriteSweep(&b, heatMaps(evil)); err != nil {
		t.Fatal(err)
	}
	if err := WritePicture(&b, heatMaps(evil)); err != nil {
		t.Fatal(err)
	}
	c := heatMaps(evil)
	c.Y, c.Parts = Axis{}, []Part{{evil, nil, []Curve{{Name: evil, Caption: evil, At: []float64{1, 2}, Offered: []float64{1, 2}, Good: []float64{1, 1}, Done: []float64{1, 1}, Capacity: 1}}}}
	if err := WriteSweep(&b, c); err != nil {
		t.Fatal(err)
	}
	if got := b.String(); strings.Contains(got, "<script") || strings.Contains(got, "ZgotmplZ") {
		t.Error("a name was not escaped")
	}
	if err := WritePicture(&b, c); err == nil {
		t.Error("a picture of curves was drawn")
	}
}

func TestParagraphs(t *testing.T) {
	got := paragraphs("One\ntwo.\n\n\nplimsoll a\nplimsoll b\n")
	want := []paragraph{{"One two.", false}, {"plimsoll a\nplimsoll b", true}}
	if len(got) != 2 || got[0] != want[0] || got[1] != want[1] {
		t.Errorf("got %v", got)
	}
	if got := paragraphs(""); len(got) != 0 {
		t.Errorf("of nothing: %v", got)
	}
}
