package knee

import (
	"cmp"
	"errors"
	"fmt"
	"time"
)

// Config is how a search goes. The zero value of each is its default.
type Config struct {
	Start      float64       // the first rate; 10 a second
	Most       float64       // the highest rate, which nothing exceeds; 100,000 a second
	Step       time.Duration // how long a rate is played; 5 s
	Within     time.Duration // how long all steps may take together; 5 min
	Tolerance  float64       // what part of the offered may be lacking from goodput that follows; 0.05
	Resolution float64       // how far apart, as a part, the rates may be that the knee lies between; 0.05
}

// Defaults are those of a [Config].
func Defaults() Config {
	return Config{Start: 10, Most: 100_000, Step: 5 * time.Second, Within: 5 * time.Minute, Tolerance: 0.05, Resolution: 0.05}
}

// Least is how short a step may be: some of its seconds have to count.
const Least = 3 * time.Second

// enough is how many requests are due, in the mean, within the steps of the lowest
// rate that is searched; in others, to get over one, there may be some fewer. In a
// step of none nothing can be seen.
const (
	enough = 4
	some   = 1.5
)

// Validate reports every setting that makes no search.
func (c Config) Validate() error {
	c = c.or(Defaults())
	var errs []error
	fault := func(ok bool, format string, args ...any) {
		if !ok {
			errs = append(errs, fmt.Errorf("knee: "+format, args...))
		}
	}
	fault(c.Start > 0 && c.Start <= 1e6, "want a first rate above 0 and at most 1,000,000/s, have %g/s", c.Start)
	fault(c.Most >= c.Start && c.Most <= 1e6, "want a highest rate from the first one, %g/s, to 1,000,000/s, have %g/s", c.Start, c.Most)
	if c.Start > 0 && c.Step >= Least && c.Step <= time.Hour {
		least := enough / c.Step.Seconds()
		fault(c.Start >= least, "want a first rate at which %d requests are due within a step of %s, which is %.3g/s, have %g/s: longer steps have more", enough, c.Step, least, c.Start)
	}
	fault(c.Step >= Least && c.Step <= time.Hour, "want steps from %s to an hour, have %s", Least, c.Step)
	fault(c.Within >= fewest*c.Step, "want time for %d steps of %s at least, which is %s, have %s", fewest, c.Step, fewest*c.Step, c.Within)
	fault(c.Tolerance > 0 && c.Tolerance < 1, "want a tolerance above 0 and below 1, have %g", c.Tolerance)
	fault(c.Resolution >= 0.001 && c.Resolution <= 1, "want a resolution from 0.001 to 1, have %g", c.Resolution)
	return errors.Join(errs...)
}

// or has the defaults in the place of zeros.
func (c Config) or(d Config) Config {
	c.Most = cmp.Or(c.Most, d.Most)
	c.Start = cmp.Or(c.Start, min(d.Start, c.Most))
	c.Step = cmp.Or(c.Step, d.Step)
	c.Within = cmp.Or(c.Within, max(d.Within, fewest*c.Step))
	c.Tolerance = cmp.Or(c.Tolerance, d.Tolerance)
	c.Resolution = cmp.Or(c.Resolution, d.Resolution)
	return c
}

// Probe is what is played next: a rate for a time, and another one after it for
// as long.
type Probe struct {
	Rate   float64
	Length time.Duration
	Back   float64 // the rate after it; 0: nothing comes after it
}

// Lasts is how long requests are due.
func (p Probe) Lasts() time.Duration {
	if p.Back > 0 {
		return 2 * p.Length
	}
	return p.Length
}
