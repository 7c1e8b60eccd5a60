package arch

import (
	"fmt"
	"path"
	"regexp"
	"slices"
	"strings"
)

// Rule is a pattern that no text of the repository may match.
type Rule struct {
	Pattern *regexp.Regexp
	// Why completes the sentence "it says X: ...".
	Why string
}

// Words finds what matches a rule, in every text but those exempt.
func (t *Tree) Words(rules []Rule, exempt ...string) []string {
	var faults []string
	for p, text := range t.Texts {
		if slices.Contains(exempt, p) {
			continue
		}
		for _, r := range rules {
			for _, at := range r.Pattern.FindAllStringIndex(text, -1) {
				line := 1 + strings.Count(text[:at[0]], "\n")
				faults = append(faults, fmt.Sprintf("%s:%d: it says %q: %s", p, line, text[at[0]:at[1]], r.Why))
			}
		}
	}
	slices.Sort(faults)
	return faults
}

var (
	page = regexp.MustCompile(`[\w./-]*\w\.md\b`)
	link = regexp.MustCompile(`\w+://\S+`)
)

// DanglingPages finds mentions of Markdown pages that are not here. What a
// link to elsewhere names is not looked at.
func (t *Tree) DanglingPages(exempt ...string) []string {
	here := map[string]bool{}
	for p := range t.Texts {
		here[path.Base(p)] = true
	}
	var faults []string
	for p, text := range t.Texts {
		if slices.Contains(exempt, p) {
			continue
		}
		for i, line := range strings.Split(text, "\n") {
			if !strings.Contains(line, ".md") {
				continue // nearly all, and the pattern is slow
			}
			for _, hit := range page.FindAllString(link.ReplaceAllString(line, ""), -1) {
				if !here[path.Base(hit)] {
					faults = append(faults, fmt.Sprintf("%s:%d: it points to %s, which is not in this repository: say what the reader needs here", p, i+1, hit))
				}
			}
		}
	}
	slices.Sort(faults)
	return faults
}
