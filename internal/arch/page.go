package arch

import (
	"fmt"
	"path"
	"regexp"
	"slices"
	"strings"
)

// row is a line of a table that begins with a name in backquotes.
var row = regexp.MustCompile("(?m)^\\| `([^`]+)`[^|]*\\|([^|]*)\\|(?:([^|]*)\\|)?$")

// Page finds where the page of packages, at name, is not as the code: a package of
// the root module has one row there, "| `dir` | what it is | its imports |", that
// says pure where the house does. The root is there by the last part of its path.
// Packages in the folders of inside are named there, and files that are named there
// exist.
func (t *Tree) Page(name string, house []Room, inside ...string) []string {
	text, root := t.Texts[name], path.Base(t.Module)
	rows := map[string][]string{}
	for _, m := range row.FindAllStringSubmatch(text, -1) {
		if _, there := rows[m[1]]; !there {
			rows[m[1]] = m[2:]
		}
	}
	var faults []string
	fault := func(dir, format string, args ...any) {
		faults = append(faults, fmt.Sprintf("%s: %s: %s", name, dir, fmt.Sprintf(format, args...)))
	}
	for _, p := range t.Packages {
		as := p.Dir
		if as == "." {
			as = root
		}
		switch cells, there := rows[as]; {
		case p.Module != ".":
			if slices.Contains(inside, path.Dir(p.Dir)) && !strings.Contains(text, "`"+path.Base(p.Dir)+"`") {
				fault(p.Dir, "not there: say what it is")
			}
		case !there:
			fault(p.Dir, "it has no row: say what it is and what it imports")
		default:
			if have, want := listed(cells[1]), t.importsOf(p, root); !slices.Equal(have, want) {
				fault(p.Dir, "have the imports [%s], want [%s]", strings.Join(have, " "), strings.Join(want, " "))
			}
			if pure := slices.ContainsFunc(house, func(r Room) bool { return r.Dir == p.Dir && r.Pure }); strings.Contains(cells[0], "*pure*") != pure {
				fault(p.Dir, "pure: want %v, as the house has it", pure)
			}
		}
	}
	for _, m := range source.FindAllStringSubmatch(text, -1) {
		if !slices.ContainsFunc(t.Packages, func(p *Package) bool { return p.has(m[1]) }) {
			fault(m[1], "no such file")
		}
	}
	slices.Sort(faults)
	return faults
}

// source is the name of a Go file in backquotes, with or without folders before it.
var source = regexp.MustCompile("`([\\w./]+\\.go)`")

// has reports whether a package has a file whose path ends in name.
func (p *Package) has(name string) bool {
	return slices.ContainsFunc(p.Files, func(f *File) bool { return strings.HasSuffix("/"+f.Path, "/"+name) })
}

// listed are the packages that a cell names; a dash is none.
func listed(cell string) (names []string) {
	for name := range strings.SplitSeq(cell, ",") {
		if name = strings.TrimSpace(name); name != "" && name != "–" {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

// importsOf are the packages of the root module that a package imports, by which
// the page knows them.
func (t *Tree) importsOf(p *Package, root string) (names []string) {
	for _, f := range p.code() {
		for _, spec := range f.Syntax.Imports {
			dir, ours := t.dirOf(spec.Path.Value)
			if !ours {
				continue
			}
			if dir == "." {
				dir = root
			}
			names = append(names, dir)
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}
