package strict

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// Fault is one thing that is wrong with the input.
type Fault struct {
	File string // empty: the command line
	Line int    // counted from 1; 0: the file as a whole
	Key  string // "rules[0].path" in a file, "--limit" on a command line
	Want string // what belongs there
}

// longestKey bounds what is shown of a key, which may be whatever a file says.
const longestKey = 200

// String returns "file:line: key: what is wanted", without the parts that the
// fault does not have: one line, whatever the file says.
func (f Fault) String() string {
	var parts []string
	switch {
	case f.File != "" && f.Line > 0:
		parts = append(parts, fmt.Sprintf("%s:%d", f.File, f.Line))
	case f.File != "":
		parts = append(parts, f.File)
	}
	if f.Key != "" {
		parts = append(parts, cut(f.Key, longestKey))
	}
	return onLine(strings.Join(append(parts, f.Want), ": "))
}

// Faults is an error that holds all of them.
type Faults []Fault

// Error returns one fault a line.
func (f Faults) Error() string {
	lines := make([]string, len(f))
	for i, v := range f {
		lines[i] = v.String()
	}
	return strings.Join(lines, "\n")
}

// sorted returns the faults of the file in its order, then those of the
// command line.
func (f Faults) sorted() Faults {
	slices.SortStableFunc(f, func(a, b Fault) int {
		if a.File != b.File {
			return -cmp.Compare(a.File, b.File) // "" last
		}
		return cmp.Compare(a.Line, b.Line)
	})
	return f
}

// Err returns the faults as an error, nil when there are none.
func (f Faults) Err() error {
	if len(f) == 0 {
		return nil
	}
	return f.sorted()
}

// FaultsOf returns the faults in an error; ok is false when it is another
// kind of error.
func FaultsOf(err error) (faults Faults, ok bool) {
	ok = errors.As(err, &faults)
	return faults, ok
}
