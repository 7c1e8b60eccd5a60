package arch

import (
	"fmt"
	"slices"
	"strings"
)

// Tables finds rows of tables in Markdown that have more or fewer cells than the
// first of their table: what is too much is not shown. A pipe ends a cell unless a
// backslash is before it, also within backquotes.
func (t *Tree) Tables() []string {
	var faults []string
	for p, text := range t.Texts {
		if !strings.HasSuffix(p, ".md") {
			continue
		}
		pipes, code := 0, false
		for i, line := range strings.Split(text, "\n") {
			if strings.HasPrefix(line, "```") {
				code = !code
			}
			if code || !strings.HasPrefix(line, "|") {
				pipes = 0
				continue
			}
			n := strings.Count(line, "|") - strings.Count(line, `\|`)
			if pipes == 0 {
				pipes = n
			}
			if n != pipes {
				faults = append(faults, fmt.Sprintf("%s:%d: a row with %d pipes in a table with %d: write \\| within a cell", p, i+1, n, pipes))
			}
		}
	}
	slices.Sort(faults)
	return faults
}
