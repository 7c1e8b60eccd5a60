// Package console is text for people with a terminal: tables in columns, and
// bars over time.
package console

import (
	"fmt"
	"io"
	"strings"
	"unicode/utf8"
)

// Table is text in columns: the first to the left, the others to the right.
type Table [][]string

// Row adds a row.
func (t *Table) Row(cells ...string) { *t = append(*t, cells) }

// Write writes it, two blanks between columns.
func (t Table) Write(w io.Writer) {
	var widths []int
	for _, row := range t {
		for i, cell := range row {
			if i == len(widths) {
				widths = append(widths, 0)
			}
			widths[i] = max(widths[i], utf8.RuneCountInString(cell))
		}
	}
	for _, row := range t {
		var b strings.Builder
		for i, cell := range row {
			blanks := strings.Repeat(" ", widths[i]-utf8.RuneCountInString(cell))
			if i == 0 {
				b.WriteString(cell + blanks)
				continue
			}
			b.WriteString("  " + blanks + cell)
		}
		fmt.Fprintln(w, strings.TrimRight(b.String(), " "))
	}
}
