// Package table writes rows of figures for a terminal and as Markdown.
package table

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// Rows are those of a table. The first is its heading; there is one, and none
// has more cells than it.
type Rows [][]string

// Text has the columns below each other, the first with its words to the left
// and all others to the right, and indent before each line.
func (rows Rows) Text(indent string) string {
	widths := make([]int, len(rows[0]))
	for _, row := range rows {
		for i, cell := range row {
			widths[i] = max(widths[i], utf8.RuneCountInString(cell))
		}
	}
	var b strings.Builder
	for _, row := range rows {
		line := fmt.Sprintf("%s%-*s", indent, widths[0], row[0])
		for i, cell := range row[1:] {
			line += fmt.Sprintf("  %*s", widths[i+1], cell)
		}
		b.WriteString(strings.TrimRight(line, " ") + "\n")
	}
	return b.String()
}

// Markdown is a table of GitHub's Markdown. Cells have no | in them.
func (rows Rows) Markdown() string {
	var b strings.Builder
	for i, row := range rows {
		b.WriteString("| " + strings.Join(row, " | ") + " |\n")
		if i == 0 {
			b.WriteString("|---" + strings.Repeat("|--:", len(row)-1) + "|\n")
		}
	}
	return b.String()
}
