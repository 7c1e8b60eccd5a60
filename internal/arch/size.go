package arch

import (
	"fmt"
	"go/ast"
	"slices"
)

// Oversize finds files above maxFile lines and functions above maxFunc lines,
// in all modules, tests left alone: a table may be long.
func (t *Tree) Oversize(maxFile, maxFunc int) []string {
	var faults []string
	for _, p := range t.Packages {
		for _, f := range p.code() {
			if f.Lines > maxFile {
				faults = append(faults, fmt.Sprintf("%s: %d lines, at most %d: cut it along its ideas, one file each", f.Path, f.Lines, maxFile))
			}
			for _, d := range f.Syntax.Decls {
				fn, ok := d.(*ast.FuncDecl)
				if !ok {
					continue
				}
				if n := t.fset.Position(fn.End()).Line - t.fset.Position(fn.Pos()).Line + 1; n > maxFunc {
					faults = append(faults, fmt.Sprintf("%s: %s has %d lines, at most %d: a function fits a screen", t.at(fn), fn.Name.Name, n, maxFunc))
				}
			}
		}
	}
	slices.Sort(faults)
	return faults
}
