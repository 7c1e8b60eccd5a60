package trace

import (
	"fmt"
	"strings"
)

// Fault is what is wrong with one line of a trace.
type Fault struct {
	Line int    // from 1
	Key  string // the column; empty: the line as a whole
	Want string // what is wanted there
}

// Error names the line, the column and what is wanted.
func (f *Fault) Error() string {
	if f.Key == "" {
		return fmt.Sprintf("line %d: %s", f.Line, f.Want)
	}
	return fmt.Sprintf("line %d: %s: %s", f.Line, f.Key, f.Want)
}

// Faults are all that is wrong with a trace, or with one line of it.
type Faults []*Fault

// Error has a line for each.
func (f Faults) Error() string {
	all := make([]string, len(f))
	for i := range f {
		all[i] = f[i].Error()
	}
	return strings.Join(all, "\n")
}

// Unwrap returns each by itself.
func (f Faults) Unwrap() []error {
	all := make([]error, len(f))
	for i := range f {
		all[i] = f[i]
	}
	return all
}

// maxFaults is how many faults are told one by one: a file that is no trace at
// all has one in every line.
const maxFaults = 1000

// cut makes the last of too many say how many there are.
func (f Faults) cut(n int) Faults {
	if n > len(f) {
		f[len(f)-1].Want += fmt.Sprintf("; and %d faults more", n-len(f))
	}
	return f
}
