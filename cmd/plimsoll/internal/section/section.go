// Package section writes a part of a Markdown file anew: what stands between two
// comments, [Begin] and [End] of a name, each on a line of its own. The rest of
// the page is its author's.
package section

import (
	"errors"
	"os"
	"strings"
)

// Begin and End are the marks between which the section of that name stands.
func Begin(name string) string { return "<!-- " + name + ":begin -->" }

// End is the second of the two.
func End(name string) string { return "<!-- " + name + ":end -->" }

// Replaced returns the text of a file with a section replaced. The error says
// what is missing: each mark has to be there once, in order.
func Replaced(file, name, with string) (string, error) {
	data, err := os.ReadFile(file)
	if err != nil {
		return "", err
	}
	text, begin, end := string(data), Begin(name), End(name)
	if strings.Count(text, begin) != 1 || strings.Count(text, end) != 1 {
		return "", errors.New("want one " + begin + " and one " + end)
	}
	from, to := strings.Index(text, begin)+len(begin), strings.Index(text, end)
	if from > to {
		return "", errors.New(end + " comes before " + begin)
	}
	return text[:from] + "\n" + strings.TrimRight(with, "\n") + "\n" + text[to:], nil
}
