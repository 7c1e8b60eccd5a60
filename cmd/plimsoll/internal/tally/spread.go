package tally

import (
	"time"

	hdr "github.com/HdrHistogram/hdrhistogram-go"

	"github.com/plimsoll-go/plimsoll/cmd/plimsoll/internal/result"
)

// What histograms hold: nanoseconds, as logs of histograms have them by
// convention, from a microsecond to a day. Those of the whole run are exact to a
// thousandth, those of a row to a hundredth.
const (
	shortest   = time.Microsecond
	longest    = 24 * time.Hour
	wholeDigit = 3
	rowDigit   = 2
)

// spread is how durations of the whole run lie.
type spread struct {
	histogram *hdr.Histogram
	sum       float64 // of seconds
	max       time.Duration
}

func newSpread() *spread {
	return &spread{histogram: hdr.New(int64(shortest), int64(longest), wholeDigit)}
}

// newPacked holds what a spread does in little memory.
func newPacked() *hdr.PackedHistogram {
	return hdr.NewPacked(int64(shortest), int64(longest), wholeDigit)
}

func newRow() *hdr.PackedHistogram { return hdr.NewPacked(int64(shortest), int64(longest), rowDigit) }

func newRecent() *hdr.Histogram { return hdr.New(int64(shortest), int64(longest), rowDigit) }

// within is a duration as histograms hold it. A negative one, of a clock that
// was read in two places, is none.
func within(d time.Duration) int64 { return int64(min(max(d, 0), longest)) }

// record cannot fail: within is in the range of every histogram here.
func (s *spread) record(d time.Duration) {
	_ = s.histogram.RecordValue(within(d))
	s.sum += max(d, 0).Seconds()
	s.max = max(s.max, d)
}

func (s *spread) merge(from *spread) {
	s.histogram.Merge(from.histogram)
	s.sum += from.sum
	s.max = max(s.max, from.max)
}

func (s *spread) times() result.Times {
	n := s.histogram.TotalCount()
	if n == 0 {
		return result.Times{}
	}
	packed := newPacked()
	packed.MergeFrom(s.histogram)
	q := packed.ValueAtPercentilesSlice([]float64{50, 90, 99, 99.9})
	most := milliseconds(s.max)
	at := func(ns int64) float64 { return min(milliseconds(time.Duration(ns)), most) } // the upper end of its bucket lies beyond the longest
	return result.Times{
		Count: n, Mean: min(s.sum/float64(n)*1000, most),
		P50: at(q[0]), P90: at(q[1]), P99: at(q[2]), P999: at(q[3]), Max: most,
		HDR: encoded(packed),
	}
}

func milliseconds(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }

// encoded is a histogram as text, nothing where it is empty. It fails for no
// histogram that there can be: it writes to memory.
func encoded(h *hdr.PackedHistogram) string {
	if h.TotalCount() == 0 {
		return ""
	}
	text, err := h.Encode()
	if err != nil {
		panic("tally: a histogram that cannot be written: " + err.Error())
	}
	return string(text)
}
