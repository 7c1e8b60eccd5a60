package tally

import (
	"iter"
	"time"

	hdr "github.com/HdrHistogram/hdrhistogram-go"

	"github.com/plimsoll-go/plimsoll/cmd/plimsoll/internal/result"
)

// Interval is how latency lies of the requests of one class, or of all, that
// were due within one step of the run.
type Interval struct {
	From, To time.Duration
	Class    string // result.AllClasses: of all
	Latency  *hdr.PackedHistogram
}

// Intervals are those of the run in order, all classes first and then each, where
// anybody was good or late. Each belongs to who gets it.
func (t *Tally) Intervals() iter.Seq[Interval] {
	return func(yield func(Interval) bool) {
		for i := range t.grid.rows {
			from := time.Duration(i) * t.grid.step
			whole := Interval{From: from, To: from + t.grid.step, Class: result.AllClasses, Latency: newRow()}
			each := []Interval{}
			for k, a := range t.accounts {
				if h := a.interval(i); h != nil {
					whole.Latency.Merge(h)
					each = append(each, Interval{whole.From, whole.To, t.classes[k].Name, h})
				}
			}
			if len(each) == 0 {
				continue
			}
			for _, v := range append([]Interval{whole}, each...) {
				if !yield(v) {
					return
				}
			}
		}
	}
}

// interval is a copy of how latency lies in a row; nil: nobody was good or late.
func (a *account) interval(i int) *hdr.PackedHistogram {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.latencies[i] == nil {
		return nil
	}
	return a.latencies[i].Clone()
}
