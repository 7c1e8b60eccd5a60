package arch

import (
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"
)

// Room is what the house knows about one package of the root module.
type Room struct {
	// Dir is the package's folder from the root, which itself is ".".
	Dir string
	// Is says in a few words what the package is.
	Is string
	// Pure packages are held to [Tree.Impurities].
	Pure bool
	// Imports are the folders of the root module that it may import.
	Imports []string
}

// Arrows finds imports that the house does not know: a package of the root
// module that has no room, one that imports what its room does not list, and
// a nested module that reaches into another module's internal folders. Tests
// may import what they like. A room without a package is no fault.
func (t *Tree) Arrows(house []Room) []string {
	rooms := map[string]Room{}
	for _, r := range house {
		rooms[r.Dir] = r
	}
	var faults []string
	for _, p := range t.Packages {
		room, known := rooms[p.Dir]
		if p.Module == "." && !known {
			faults = append(faults, fmt.Sprintf("%s: not in the house: add one line to the table in arch_test.go that says what the package is and what it may import", p.Dir))
			continue
		}
		for _, f := range p.code() {
			for _, spec := range f.Syntax.Imports {
				dir, ours := t.dirOf(spec.Path.Value)
				if !ours {
					continue
				}
				if why := t.wrong(p, room, dir); why != "" {
					faults = append(faults, fmt.Sprintf("%s: %s imports %s: %s", t.at(spec), p.Dir, dir, why))
				}
			}
		}
	}
	slices.Sort(faults)
	return faults
}

func (t *Tree) wrong(p *Package, room Room, dir string) string {
	foreign := t.moduleOf(dir) != p.Module
	switch {
	case p.Module == "." && foreign:
		return "the library never imports a nested module"
	case p.Module == "." && !slices.Contains(room.Imports, dir):
		return fmt.Sprintf("its arrows are [%s]; a new one is a decision about the architecture: take it in the table in arch_test.go", strings.Join(room.Imports, " "))
	case p.Module != "." && foreign && slices.Contains(strings.Split(dir, "/"), "internal"):
		return "a nested module uses the library as everybody else does, not its internal packages"
	}
	return ""
}

// dirOf turns a quoted import path into a folder of this repository.
func (t *Tree) dirOf(quoted string) (dir string, ours bool) {
	p, err := strconv.Unquote(quoted)
	if err != nil {
		return "", false
	}
	if p == t.Module {
		return ".", true
	}
	dir, ours = strings.CutPrefix(p, t.Module+"/")
	return path.Clean(dir), ours
}
