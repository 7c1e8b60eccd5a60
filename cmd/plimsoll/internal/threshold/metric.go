package threshold

import (
	"math"

	"github.com/plimsoll-go/plimsoll/cmd/plimsoll/internal/result"
)

// Unit is what a metric is measured in.
type Unit string

// The units.
const (
	Share    Unit = "share" // of the requests offered: 0 to 1
	Requests Unit = "requests"
	Rate     Unit = "per second"
	Ratio    Unit = "ratio" // 1 and more
	Seconds  Unit = "seconds"
)

// Metric is a figure that thresholds are about.
type Metric struct {
	Name     string // as it is written, with (N) or (what) where it takes an argument
	Unit     Unit
	Is       string // for people
	argument argument
	hangsUp  bool // no longer than a request's deadline, at which its caller hangs up
	of       func(*subject, float64, count) (float64, string)
}

// argument is what a metric takes in parentheses.
type argument uint8

const (
	none argument = iota
	percentile
	counted
)

// count is how many there were of a kind.
type count struct {
	name string
	is   string
	of   func(*result.Class) int64
}

// counts are what count(…) and rate(…) take.
var counts = []count{
	{"offered", "were due", func(c *result.Class) int64 { return c.Offered }},
	{"sent", "were sent", func(c *result.Class) int64 { return c.Sent }},
	{"good", "were answered as wanted, in time", func(c *result.Class) int64 { return c.Good }},
	{"late", "were not answered before their deadline", func(c *result.Class) int64 { return c.Late }},
	{"refused", "ended with a refusal", func(c *result.Class) int64 { return result.Sum(c.Refused) }},
	{"failed", "ended with anything else", func(c *result.Class) int64 { return result.Sum(c.Failed) }},
	{"skipped", "could not be sent at their time", func(c *result.Class) int64 { return result.Sum(c.Skipped) }},
	{"open", "had not ended when the run was given up", func(c *result.Class) int64 { return c.Open }},
	{"attempts", "attempts were made, and ended", func(c *result.Class) int64 { return c.Attempts }},
}

// times are what percentiles, means and highest values are taken of.
var times = []struct {
	prefix, is string
	hangsUp    bool
	of         func(*result.Class) *result.Times
}{
	{"", "from when a request was due to its answer, or to when its caller hung up; without refusals and failures", true, func(c *result.Class) *result.Times { return &c.Latency }},
	{"service.", "from when the last attempt of the same requests was sent", true, func(c *result.Class) *result.Times { return &c.Service }},
	{"slip.", "from when a request was due to when it was sent: the generator's own", false, func(c *result.Class) *result.Times { return &c.Slip }},
	{"turned.", "from when a request was due to its refusal or failure", true, func(c *result.Class) *result.Times { return &c.Turned }},
}

// metrics are all of them, in the order of the manual.
var metrics = table()

// Metrics are all metrics, in the order in which people want to read of them.
func Metrics() []Metric { return append([]Metric(nil), metrics...) }

func table() []Metric {
	var out []Metric
	for _, c := range counts {
		switch c.name {
		case "good":
			out = append(out, Metric{Name: "goodput", Unit: Share, Is: "requests that " + c.is, of: shareOf(c)})
		case "late", "refused", "failed", "skipped":
			out = append(out, Metric{Name: c.name, Unit: Share, Is: "requests that " + c.is, of: shareOf(c)})
		}
	}
	for _, t := range times {
		out = append(out,
			Metric{Name: t.prefix + "p(N)", Unit: Seconds, Is: "the Nth percentile of the time " + t.is, argument: percentile, hangsUp: t.hangsUp, of: quantileOf(t.of)},
			Metric{Name: t.prefix + "mean", Unit: Seconds, Is: "the mean of it", hangsUp: t.hangsUp, of: momentOf(t.of, func(t *result.Times) float64 { return t.Mean })},
			Metric{Name: t.prefix + "max", Unit: Seconds, Is: "the longest of it", hangsUp: t.hangsUp, of: momentOf(t.of, func(t *result.Times) float64 { return t.Max })},
		)
	}
	return append(out,
		Metric{Name: "recovery", Unit: Seconds, Is: "from the end of the last peak until goodput was back for good", of: recovery},
		Metric{Name: "amplification", Unit: Ratio, Is: "attempts for a request that was sent", of: amplification},
		Metric{Name: "throughput", Unit: Rate, Is: "attempts that were answered as wanted, in time or late", of: throughput},
		Metric{Name: "rate(what)", Unit: Rate, argument: counted, Is: "requests, by what became of them", of: rateOf},
		Metric{Name: "count(what)", Unit: Requests, argument: counted, Is: "requests, by what became of them", of: countOf},
	)
}

func shareOf(c count) func(*subject, float64, count) (float64, string) {
	return func(s *subject, _ float64, _ count) (float64, string) {
		return float64(c.of(&s.Class)) / float64(s.Offered), ""
	}
}

func countOf(s *subject, _ float64, c count) (float64, string) { return float64(c.of(&s.Class)), "" }

func rateOf(s *subject, _ float64, c count) (float64, string) {
	return s.perSecond(float64(c.of(&s.Class)))
}

func throughput(s *subject, _ float64, _ count) (float64, string) {
	return s.perSecond(float64(s.Served()))
}

func amplification(s *subject, _ float64, _ count) (float64, string) {
	if s.Sent == 0 {
		return 0, "none of these requests was sent"
	}
	return s.Amplification(), ""
}

// recovery of several classes is that of the last.
func recovery(s *subject, _ float64, _ count) (float64, string) {
	if s.run.PeakEnd == nil {
		return 0, "the schedule has no peak to recover from"
	}
	longest := 0.0
	for _, c := range s.parts {
		if c.Recovery == nil {
			return math.Inf(1), ""
		}
		longest = max(longest, *c.Recovery)
	}
	return longest, ""
}

func momentOf(of func(*result.Class) *result.Times, moment func(*result.Times) float64) func(*subject, float64, count) (float64, string) {
	return func(s *subject, _ float64, _ count) (float64, string) {
		t, why := s.times(of)
		return moment(&t) / 1000, why
	}
}

func quantileOf(of func(*result.Class) *result.Times) func(*subject, float64, count) (float64, string) {
	return func(s *subject, percent float64, _ count) (float64, string) { return s.quantile(of, percent) }
}
