package plot

import (
	"strings"
	"testing"
)

func TestHeatCells(t *testing.T) {
	h := Heat{Left: 10, Top: 10, Width: 30, Height: 20, Columns: []string{"a", "b", "c"}, Rows: []string{"0", "1"}}
	var b strings.Builder
	h.Cells(&b, func(column, row int) Cell {
		return Cell{Share: float64(column) / 2, Mark: column == 2 && row == 1, Title: h.Columns[column] + " & " + h.Rows[row]}
	})
	h.Labels(&b)
	got := b.String()
	for _, want := range []string{
		`<rect class="s0" x="10.0" y="20.0" width="10.0"`,                  // lower left
		`<rect class="s10" x="30.0" y="10.0"`,                              // upper right
		`<title>c &amp; 1</title>`,                                         //
		`d="M30.0 20.0V10.0M30.0 20.0H40.0M40.0 20.0V10.0M30.0 10.0H40.0"`, // all round it
		`y="45.0">a<`, `x="4.0" y="29.0">0<`,
	} {
		if !strings.Contains(got, want) {
			t.Errorf("no %q in\n%s", want, got)
		}
	}
	if n := strings.Count(got, "<rect"); n != 6 {
		t.Errorf("%d cells", n)
	}
}

func TestHeatWithoutARegionHasNoOutline(t *testing.T) {
	h := Heat{Width: 1, Height: 1, Columns: []string{""}, Rows: []string{""}}
	var b strings.Builder
	h.Cells(&b, func(int, int) Cell { return Cell{Share: 2} })
	if got := b.String(); strings.Contains(got, "region") || !strings.Contains(got, "s10") {
		t.Error(got)
	}
}

func TestShade(t *testing.T) {
	for _, tt := range []struct {
		share float64
		want  int
	}{{-1, 0}, {0, 0}, {0.049, 0}, {0.051, 1}, {0.949, 9}, {0.951, 10}, {1, 10}, {3, 10}} {
		if got := (Cell{Share: tt.share}).shade(); got != tt.want {
			t.Errorf("%g: s%d, want s%d", tt.share, got, tt.want)
		}
	}
}

func TestLabelsAreThinned(t *testing.T) {
	for _, tt := range []struct {
		n            int
		length, room float64
		want         int
	}{{5, 400, 40, 1}, {10, 400, 40, 1}, {11, 400, 40, 2}, {45, 400, 40, 5}, {3, 10, 40, 3}} {
		if got := thinned(tt.n, tt.length, tt.room); got != tt.want {
			t.Errorf("%d on %g: every %d, want %d", tt.n, tt.length, got, tt.want)
		}
	}
}
