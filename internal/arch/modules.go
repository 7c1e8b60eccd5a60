package arch

import (
	"fmt"
	"path"
	"slices"
	"strings"
)

// Requirements finds what would enter the build of everybody who imports the
// root module, and replacements in nested modules, under which `go install`
// refuses to work.
func (t *Tree) Requirements() []string {
	var faults []string
	for p, text := range t.Texts {
		if path.Base(p) != "go.mod" {
			continue
		}
		for i, line := range strings.Split(text, "\n") {
			verb, _, _ := strings.Cut(strings.TrimSpace(line), " ")
			switch {
			case p == "go.mod" && slices.Contains([]string{"require", "replace", "tool"}, verb):
				faults = append(faults, fmt.Sprintf("%s:%d: %s: the library requires nothing; what needs a dependency lives in a nested module", p, i+1, verb))
			case verb == "replace":
				faults = append(faults, fmt.Sprintf("%s:%d: replace: put it into go.work, `go install` refuses modules that replace", p, i+1))
			}
		}
	}
	slices.Sort(faults)
	return faults
}

func modulePath(gomod string) string {
	for line := range strings.Lines(gomod) {
		if p, ok := strings.CutPrefix(strings.TrimSpace(line), "module "); ok {
			return strings.TrimSpace(p)
		}
	}
	return ""
}
