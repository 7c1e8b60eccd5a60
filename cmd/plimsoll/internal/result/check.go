package result

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode"

	"github.com/plimsoll-go/plimsoll/cmd/plimsoll/internal/strict"
)

// most is the largest number that is one: all up to it are exact wherever JSON
// is read, and no sum of a file overflows.
const most = 1 << 53

// checker finds figures that cannot be.
type checker struct {
	file   string
	faults strict.Faults
}

func (c *checker) want(key, format string, args ...any) {
	c.faults = append(c.faults, strict.Fault{File: c.file, Key: key, Want: "want " + fmt.Sprintf(format, args...)})
}

// text holds that what is shown to people as it is moves no cursor of a terminal
// and recolours none, whoever has written the file.
func (c *checker) text(key, s string) bool {
	if strings.ContainsFunc(s, unicode.IsControl) {
		c.want(key, "text without control characters, have %q", s)
		return false
	}
	return true
}

func (c *checker) result(r *Result) {
	c.text("target", r.Target)
	c.text("schedule", r.Schedule)
	for i, why := range r.Invalid {
		c.text(fmt.Sprintf("invalid[%d]", i), why)
	}
	for _, v := range []struct {
		key string
		is  float64
	}{{"length_s", r.Length}, {"step_s", r.Step}, {"part_s", r.Part}} {
		if v.is <= 0 {
			c.want(v.key, "a time above 0, have %g", v.is)
		}
	}
	if r.Ran < 0 {
		c.want("ran_s", "0 or more, have %g", r.Ran)
	}
	if r.PeakEnd != nil && *r.PeakEnd < 0 {
		c.want("peak_end_s", "0 or more, or null, have %g", *r.PeakEnd)
	}
	if r.All.Name != AllClasses {
		c.want("all.name", "%s, have %q", AllClasses, r.All.Name)
	}
	c.class("all", &r.All)
	if len(r.Classes) == 0 {
		c.want("classes", "one class or more")
	}
	seen := map[string]bool{AllClasses: true}
	var sum Class
	for i := range r.Classes {
		k := &r.Classes[i]
		at := fmt.Sprintf("classes[%d]", i)
		if seen[k.Name] || k.Name == "" {
			c.want(at+".name", "a name that no other class has, have %q", k.Name)
		}
		seen[k.Name] = true
		c.class(at, k)
		sum.Offered += k.Offered
		sum.Good += k.Good
		sum.Late += k.Late
		sum.Sent += k.Sent
		sum.Attempts += k.Attempts
	}
	for _, v := range []struct {
		key      string
		all, sum int64
	}{
		{"all.offered", r.All.Offered, sum.Offered}, {"all.good", r.All.Good, sum.Good}, {"all.late", r.All.Late, sum.Late},
		{"all.sent", r.All.Sent, sum.Sent}, {"all.attempts", r.All.Attempts, sum.Attempts},
	} {
		if v.all != v.sum {
			c.want(v.key, "%d, the sum of the classes, have %d", v.sum, v.all)
		}
	}
}

// numbers holds that counts are numbers of things, and says their sum.
func (c *checker) numbers(key string, counts ...int64) int64 {
	sum := int64(0)
	for _, n := range counts {
		if n < 0 || n > most {
			c.want(key, "numbers from 0 to 2^53, have %d", n)
			return 0
		}
		sum += n
	}
	return sum
}

func (c *checker) reasons(key string, by map[string]int64) int64 {
	sum := int64(0)
	for _, why := range slices.Sorted(maps.Keys(by)) {
		at := key
		if c.text(key, why) {
			at += "." + why
		}
		sum += c.numbers(at, by[why])
	}
	return sum
}

func (c *checker) class(at string, k *Class) {
	c.text(at+".name", k.Name)
	c.text(at+".criticality", k.Criticality)
	skipped, refused, failed := c.reasons(at+".skipped", k.Skipped), c.reasons(at+".refused", k.Refused), c.reasons(at+".failed", k.Failed)
	sum := skipped + refused + failed + c.numbers(at, k.Good, k.Late, k.Open)
	if k.Offered != sum {
		c.want(at+".offered", "%d, the sum of skipped, good, late, refused, failed and open, have %d", sum, k.Offered)
	}
	if k.Sent != sum-skipped {
		c.want(at+".sent", "%d, what was offered and not skipped, have %d", sum-skipped, k.Sent)
	}
	attempts := c.numbers(at+".attempts", k.AttemptsGood, k.AttemptsLate) +
		c.reasons(at+".attempts_refused", k.AttemptsRefused) + c.reasons(at+".attempts_failed", k.AttemptsFailed)
	if k.Attempts != attempts {
		c.want(at+".attempts", "%d, the sum of its kinds, have %d", attempts, k.Attempts)
	}
	if k.Recovery != nil && *k.Recovery < 0 {
		c.want(at+".recovery_s", "0 or more, or null, have %g", *k.Recovery)
	}
	c.times(at+".latency", &k.Latency, k.Good+k.Late)
	c.times(at+".service", &k.Service, k.Good+k.Late)
	c.times(at+".turned_away", &k.Turned, refused+failed)
	c.times(at+".slip", &k.Slip, k.Good+k.Late+refused+failed)
	c.series(at+".series", k)
	parts := int64(0)
	for i, p := range k.Parts {
		parts += c.histogram(fmt.Sprintf("%s.latency_parts[%d]", at, i), p)
	}
	if len(k.Parts) > 0 && parts != k.Latency.Count {
		c.want(at+".latency_parts", "the %d requests of latency, have %d", k.Latency.Count, parts)
	}
}

func (c *checker) times(at string, t *Times, count int64) {
	if t.Count != count {
		c.want(at+".count", "%d, as many as there are such requests, have %d", count, t.Count)
	}
	if n := c.histogram(at+".hdr", t.HDR); n != t.Count {
		c.want(at+".hdr", "a histogram of %d values, have one of %d", t.Count, n)
	}
	last := 0.0
	for _, v := range []float64{t.P50, t.P90, t.P99, t.P999, t.Max} {
		if v < last {
			c.want(at, "percentiles that do not fall, have %g after %g", v, last)
			return
		}
		last = v
	}
	if t.Mean < 0 || t.Mean > t.Max {
		c.want(at+".mean_ms", "a mean from 0 to the maximum of %g, have %g", t.Max, t.Mean)
	}
}

// histogram is how many values one holds.
func (c *checker) histogram(key, text string) int64 {
	h, err := Histogram(text)
	if err != nil {
		c.want(key, "%s", err)
		return 0
	}
	return h.TotalCount()
}

func (c *checker) series(at string, k *Class) {
	offered, good := int64(0), int64(0)
	for i, s := range k.Series {
		key := fmt.Sprintf("%s[%d]", at, i)
		c.numbers(key, s.Offered, s.Skipped, s.Good, s.Late, s.Refused, s.Failed, s.Answered, s.Attempts, s.Done)
		if s.P50 < 0 || s.P99 < s.P50 {
			c.want(key, "percentiles that do not fall, have %g and %g", s.P50, s.P99)
		}
		offered += s.Offered
		good += s.Good
	}
	if offered != k.Offered || good != k.Good {
		c.want(at, "the %d offered and %d good of its class, have %d and %d", k.Offered, k.Good, offered, good)
	}
}
