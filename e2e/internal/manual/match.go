package manual

import (
	"regexp"
	"strings"
)

var (
	numbers = regexp.MustCompile(`\d+(?:\.\d+)?(?:ns|µs|ms|s|m|h)\b|\d+\.\d+`)
	spaces  = regexp.MustCompile(`[ \t]+`)
)

// Matches reports whether an output is what a page promises: line for line, but
// that spaces do not count, that figures with a unit of time or a fraction may
// be others, and that "…" stands for anything, as a line of its own for any
// lines.
func Matches(promised, output string) bool {
	var pattern strings.Builder
	pattern.WriteString(`^`)
	for _, line := range lines(promised) {
		if line == "…" {
			pattern.WriteString(`(?:[^\n]*\n)*?`)
			continue
		}
		pattern.WriteString(strings.ReplaceAll(regexp.QuoteMeta(line), "…", `[^\n]*`) + `\n`)
	}
	pattern.WriteString(`$`)
	return regexp.MustCompile(pattern.String()).MatchString(strings.Join(append(lines(output), ""), "\n"))
}

// lines are the lines of a text, with everything equal in which they may
// differ.
func lines(text string) (all []string) {
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(spaces.ReplaceAllString(line, " "))
		all = append(all, numbers.ReplaceAllString(line, "0"))
	}
	return all
}
