package threshold

import (
	"fmt"
	"math"

	hdr "github.com/HdrHistogram/hdrhistogram-go"

	"github.com/plimsoll-go/plimsoll/cmd/plimsoll/internal/result"
)

// subject is what a metric is taken of: the requests of one class, of several
// together, or of all.
type subject struct {
	result.Class
	run   *result.Result
	parts []*result.Class
}

// subjectOf puts classes together; nil: all. A class that the run does not have
// adds nothing.
func subjectOf(r *result.Result, names []string) *subject {
	s := &subject{run: r}
	if names == nil {
		s.Class, s.parts = r.All, []*result.Class{&r.All}
		return s
	}
	for _, name := range names {
		for i := range r.Classes {
			if c := &r.Classes[i]; c.Name == name {
				s.add(c)
			}
		}
	}
	return s
}

func (s *subject) add(c *result.Class) {
	s.parts = append(s.parts, c)
	s.Offered, s.Sent, s.Good, s.Late = s.Offered+c.Offered, s.Sent+c.Sent, s.Good+c.Good, s.Late+c.Late
	s.Open, s.Attempts = s.Open+c.Open, s.Attempts+c.Attempts
	s.AttemptsGood, s.AttemptsLate = s.AttemptsGood+c.AttemptsGood, s.AttemptsLate+c.AttemptsLate
	s.Skipped, s.Refused, s.Failed = joined(s.Skipped, c.Skipped), joined(s.Refused, c.Refused), joined(s.Failed, c.Failed)
}

func joined(a, b map[string]int64) map[string]int64 {
	return map[string]int64{"": result.Sum(a) + result.Sum(b)}
}

// perSecond is a number of requests over the part of the schedule that was played.
func (s *subject) perSecond(n float64) (float64, string) {
	if !(s.run.Ran > 0) {
		return 0, "the run had no length"
	}
	return n / s.run.Ran, ""
}

// times are those of all parts together, without percentiles.
func (s *subject) times(of func(*result.Class) *result.Times) (result.Times, string) {
	var out result.Times
	total := 0.0
	for _, c := range s.parts {
		t := of(c)
		out.Count += t.Count
		total += t.Mean * float64(t.Count)
		out.Max = math.Max(out.Max, t.Max)
	}
	if out.Count == 0 {
		return out, "none of these requests was answered"
	}
	out.Mean = total / float64(out.Count)
	return out, ""
}

// quantile is a percentile, in seconds: as the result names it, or out of its
// histograms.
func (s *subject) quantile(of func(*result.Class) *result.Times, percent float64) (float64, string) {
	all, why := s.times(of)
	if why != "" {
		return 0, why
	}
	if percent == 100 {
		return all.Max / 1000, ""
	}
	if len(s.parts) == 1 {
		t := of(s.parts[0])
		switch percent {
		case 50:
			return t.P50 / 1000, ""
		case 90:
			return t.P90 / 1000, ""
		case 99:
			return t.P99 / 1000, ""
		case 99.9:
			return t.P999 / 1000, ""
		}
	}
	var together *hdr.PackedHistogram
	for _, c := range s.parts {
		t := of(c)
		if t.Count == 0 {
			continue
		}
		h, err := result.Histogram(t.HDR)
		if err != nil || t.HDR == "" {
			return 0, fmt.Sprintf("the result has no histogram of %q to take it from", c.Name)
		}
		if together == nil {
			together = h
			continue
		}
		together.Merge(h)
	}
	// The upper end of its bucket lies beyond the longest.
	return min(float64(together.ValueAtPercentile(percent))/1e9, all.Max/1000), ""
}
