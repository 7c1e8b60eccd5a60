package report

import (
	"errors"
	"strings"
)

// Begin and End are the marks, each on a line of its own, between which a
// README has its table.
const (
	Begin = "<!-- bench:begin -->"
	End   = "<!-- bench:end -->"
)

// Replace puts section between the marks of text. It needs each mark once, in
// order.
func Replace(text, section string) (string, error) {
	if strings.Count(text, Begin) != 1 || strings.Count(text, End) != 1 {
		return "", errors.New("want one " + Begin + " and one " + End)
	}
	from, to := strings.Index(text, Begin)+len(Begin), strings.Index(text, End)
	if from > to {
		return "", errors.New(End + " comes before " + Begin)
	}
	return text[:from] + "\n" + strings.TrimRight(section, "\n") + "\n" + text[to:], nil
}
