package threshold

import (
	"fmt"
	"strings"

	"github.com/plimsoll-go/plimsoll/cmd/plimsoll/internal/strict"
)

// Fault is one thing that is wrong with the text of a threshold.
type Fault struct {
	Column int    // of the text, in characters, from 1
	Want   string // what belongs there
}

// String is "column 9: want …".
func (f Fault) String() string { return fmt.Sprintf("column %d: want %s", f.Column, f.Want) }

// Faults is all that is wrong with one text.
type Faults []Fault

// Error returns one fault after the other.
func (f Faults) Error() string {
	parts := make([]string, len(f))
	for i, v := range f {
		parts[i] = v.String()
	}
	return strings.Join(parts, "; ")
}

// nearest ends what is wanted with the name that was most likely meant, or with
// all of them.
func nearest(what, have string, known []string) string {
	if near := strict.Nearest(have, known); near != "" {
		return fmt.Sprintf("%s, have %q; did you mean %s?", what, have, near)
	}
	if len(known) == 0 {
		return fmt.Sprintf("%s, have %q; there is none", what, have)
	}
	return fmt.Sprintf("%s, have %q: one of %s", what, have, strings.Join(known, ", "))
}
