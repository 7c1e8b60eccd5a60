package schedule

import (
	"fmt"
	"strings"
	"time"
)

// Fault is one thing that is wrong with what a schedule is made of.
type Fault struct {
	Key  string // rate, arrivals, duration, or speed; of a trace its name and line
	Want string // what is wanted there
}

// Error names the key and what is wanted.
func (f *Fault) Error() string { return f.Key + ": " + f.Want }

// Faults are all of them, at least one.
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

// faults collects them.
type faults []*Fault

func (f *faults) want(key, format string, args ...any) {
	*f = append(*f, &Fault{Key: key, Want: fmt.Sprintf(format, args...)})
}

// rate reports a rate above 0 that is none.
func (f *faults) rate(key string, rate float64) {
	if !(rate > 0) || rate > MaxRate {
		f.want(key, "want a rate above 0 and of at most %.0f/s, have %g/s", float64(MaxRate), rate)
	}
}

func (f *faults) length(key string, d time.Duration) {
	if d <= 0 || d > MaxLength {
		f.want(key, "want a time above 0 and of at most %v, have %v", MaxLength, d)
	}
}
