package arch

import (
	"fmt"
	"slices"
)

// Budget compares what the files of the root module's shells (packages that
// are not pure) touch with what they may: budget maps a path to the list that
// [File.Touches] returns. Both an unlisted touch and an unused permission are
// faults, so that the list stays the truth. Tests are left alone.
func (t *Tree) Budget(house []Room, budget map[string]string) []string {
	pure := map[string]bool{}
	for _, r := range house {
		pure[r.Dir] = r.Pure
	}
	var faults []string
	seen := map[string]bool{}
	for _, p := range t.library() {
		if pure[p.Dir] {
			continue
		}
		for _, f := range p.code() {
			seen[f.Path] = true
			if have, may := f.Touches(), budget[f.Path]; have != may {
				faults = append(faults, fmt.Sprintf("%s: touches [%s], may touch [%s]: keep clocks, goroutines, locks, sockets, files and shared randomness in few files and pass what they yield on; if this file is the place for it, say so in the budget in arch_test.go", f.Path, have, may))
			}
		}
	}
	for path := range budget {
		if !seen[path] {
			faults = append(faults, fmt.Sprintf("%s: in the budget of arch_test.go, but no such file in a shell: take the line out", path))
		}
	}
	slices.Sort(faults)
	return faults
}
