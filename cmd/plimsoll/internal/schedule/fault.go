package schedule

import (
	"fmt"
	"time"

	"github.com/plimsoll-go/plimsoll/cmd/plimsoll/internal/strict"
	"github.com/plimsoll-go/plimsoll/sim/trace"
)

// faults collects what is wrong with what a schedule is made of. The keys are
// rate, arrivals, duration and speed; of a trace its columns, at its lines.
type faults struct{ all strict.Faults }

func (f *faults) want(key, format string, args ...any) {
	f.all = append(f.all, strict.Fault{Key: key, Want: fmt.Sprintf(format, args...)})
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

// file reports what a trace lacks as a whole.
func (f *faults) file(name, format string, args ...any) {
	f.all = append(f.all, strict.Fault{File: name, Want: fmt.Sprintf(format, args...)})
}

// line reports what is wrong with a line of a trace.
func (f *faults) line(name string, w *trace.Fault) {
	f.all = append(f.all, strict.Fault{File: name, Line: w.Line, Key: w.Key, Want: w.Want})
}
