package compare

import (
	"slices"

	"github.com/plimsoll-go/plimsoll/cmd/plimsoll/internal/result"
)

// figure is what is compared: a ratio of counts, or a quantile of latency.
type figure struct {
	name     string
	unit     Unit
	more     bool    // is better
	idle     float64 // what it is where nothing of the kind happened
	grain    float64 // how finely it is known of a part, as a share of it
	ratio    func(*counts) (part, whole float64)
	quantile float64
}

// counts are those of a class, or of a part of its run.
type counts struct{ offered, sent, good, late, refused, failed, attempts float64 }

// grain is that of the histograms of parts.
const grain = 0.01

var figures = []figure{
	{name: "goodput", unit: Share, more: true, ratio: func(c *counts) (float64, float64) { return c.good, c.offered }},
	{name: "late", unit: Share, ratio: func(c *counts) (float64, float64) { return c.late, c.offered }},
	{name: "refused", unit: Share, ratio: func(c *counts) (float64, float64) { return c.refused, c.offered }},
	{name: "failed", unit: Share, ratio: func(c *counts) (float64, float64) { return c.failed, c.offered }},
	{name: "attempts per request", unit: Ratio, idle: 1, ratio: func(c *counts) (float64, float64) { return c.attempts, c.sent }},
	{name: "latency p50", unit: Milliseconds, grain: grain, quantile: 0.5},
	{name: "latency p90", unit: Milliseconds, grain: grain, quantile: 0.9},
	{name: "latency p99", unit: Milliseconds, grain: grain, quantile: 0.99},
}

func figureOf(name string) *figure {
	return &figures[slices.IndexFunc(figures, func(f figure) bool { return f.name == name })]
}

// of is the figure of a whole run; false: there are no requests to take it of.
func (f *figure) of(c *result.Class) (float64, bool) {
	if f.ratio == nil {
		return c.Latency.Quantile(f.quantile), c.Latency.Count > 0
	}
	part, whole := f.ratio(&counts{
		offered: float64(c.Offered), sent: float64(c.Sent), good: float64(c.Good), late: float64(c.Late),
		refused: float64(result.Sum(c.Refused)), failed: float64(result.Sum(c.Failed)), attempts: float64(c.Attempts),
	})
	if whole == 0 {
		return 0, false
	}
	return part / whole, true
}

func (c *counts) add(s *result.Second) {
	c.offered += float64(s.Offered)
	c.sent += float64(s.Offered - s.Skipped)
	c.good += float64(s.Good)
	c.late += float64(s.Late)
	c.refused += float64(s.Refused)
	c.failed += float64(s.Failed)
	c.attempts += float64(s.Attempts)
}

// weigh adds so many times what another counted.
func (c *counts) weigh(o *counts, by float64) {
	c.offered += by * o.offered
	c.sent += by * o.sent
	c.good += by * o.good
	c.late += by * o.late
	c.refused += by * o.refused
	c.failed += by * o.failed
	c.attempts += by * o.attempts
}
