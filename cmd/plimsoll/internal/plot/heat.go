package plot

import (
	"fmt"
	"html"
	"math"
	"strings"
)

// Heat is a map of cells over two axes. Row 0 is at the bottom.
type Heat struct {
	Left, Top, Width, Height float64
	Columns, Rows            []string // what stands at each column and each row
}

// Cell is one place of a map.
type Cell struct {
	Share float64 // 0 to 1, as one of eleven classes from s0 to s10
	Mark  bool    // lies in the region that is outlined
	Title string  // what a pointer on it reads; empty: nothing
}

// shade is the class of a share, the nearest of the eleven.
func (c Cell) shade() int { return int(math.Round(10 * max(0, min(c.Share, 1)))) }

func (h Heat) cell() (width, height float64) {
	return h.Width / float64(len(h.Columns)), h.Height / float64(len(h.Rows))
}

// Cells draws the map, then the outline of what is marked.
func (h Heat) Cells(b *strings.Builder, at func(column, row int) Cell) {
	b.WriteString(`<g shape-rendering="crispEdges">` + "\n")
	for row := range h.Rows {
		for column := 0; column < len(h.Columns); {
			c := at(column, row)
			end := column + 1
			for c.Title == "" && end < len(h.Columns) && at(end, row).shade() == c.shade() {
				end++ // who has nothing to read out may be drawn with its neighbour
			}
			_, t := h.cell()
			fmt.Fprintf(b, `<rect class="s%d" x="%.1f" y="%.1f" width="%.1f" height="%.1f"`, c.shade(), h.x(column), h.y(row+1), h.x(end)-h.x(column), t)
			if c.Title == "" {
				b.WriteString("/>\n")
			} else {
				fmt.Fprintf(b, "><title>%s</title></rect>\n", html.EscapeString(c.Title))
			}
			column = end
		}
	}
	b.WriteString("</g>\n")
	if path := h.outline(at); path != "" {
		fmt.Fprintf(b, `<path class="region" d="%s"/>`+"\n", path)
	}
}

// x is the left edge of a column.
func (h Heat) x(column int) float64 {
	w, _ := h.cell()
	return h.Left + w*float64(column)
}

// y is the lower edge of a row, which is the upper one of the row below.
func (h Heat) y(row int) float64 {
	_, t := h.cell()
	return h.Top + h.Height - t*float64(row)
}

// outline is the edges between what is marked and what is not. The edge of the
// map counts: a region may go on beyond it.
func (h Heat) outline(at func(column, row int) Cell) string {
	marked := func(column, row int) bool {
		return column >= 0 && row >= 0 && column < len(h.Columns) && row < len(h.Rows) && at(column, row).Mark
	}
	var path strings.Builder
	for row := range len(h.Rows) + 1 {
		for column := range len(h.Columns) + 1 {
			here := marked(column, row)
			if here != marked(column-1, row) {
				fmt.Fprintf(&path, "M%.1f %.1fV%.1f", h.x(column), h.y(row), h.y(row+1))
			}
			if here != marked(column, row-1) {
				fmt.Fprintf(&path, "M%.1f %.1fH%.1f", h.x(column), h.y(row), h.x(column+1))
			}
		}
	}
	return path.String()
}

// Labels writes what stands at the columns and rows, as many as there is room
// for.
func (h Heat) Labels(b *strings.Builder) {
	w, t := h.cell()
	every := thinned(len(h.Columns), h.Width, 40)
	for column := 0; column < len(h.Columns); column += every {
		fmt.Fprintf(b, `<text class="small" text-anchor="middle" x="%.1f" y="%.1f">%s</text>`+"\n",
			h.x(column)+w/2, h.Top+h.Height+15, html.EscapeString(h.Columns[column]))
	}
	every = thinned(len(h.Rows), h.Height, 22)
	for row := 0; row < len(h.Rows); row += every {
		fmt.Fprintf(b, `<text class="small" text-anchor="end" x="%.1f" y="%.1f">%s</text>`+"\n",
			h.Left-6, h.y(row)-t/2+4, html.EscapeString(h.Rows[row]))
	}
}

// thinned is every how many of n there is room for one.
func thinned(n int, length, room float64) int {
	fit := max(1, int(length/room))
	return max(1, (n+fit-1)/fit)
}
