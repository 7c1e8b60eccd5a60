package schedule

import (
	"math"
	"regexp"
	"strings"
	"time"
)

// Forms are the forms of a rate, an example of each.
const Forms = "500/s, " +
	"'ramp 100/s..2000/s over 30s', " +
	"'step 100/s:10s, 500/s:10s, 100/s..2000/s:30s', " +
	"'spike 200/s..2000/s from 10s for 5s', " +
	"'on-off 50/s..500/s on 2s off 3s' or " +
	"'sine 100/s..900/s every 60s'"

// Parse reads a rate, how its arrivals follow one another (poisson, or constant
// for evenly spaced ones; empty: poisson) and the length of the run. An error is
// [strict.Faults], all of them at once; their keys are rate, arrivals and
// duration.
//
// A rate is a number of requests and a unit of time: 500/s, 30000/m or 1e6/h.
// Without a unit it is per second. Two of them, joined by .. without a unit at
// the first, have that of the second. The forms of a rate over time:
//
//	500/s                                  does not change
//	ramp 100/s..2000/s over 30s            goes from one to the other in a straight line, and stays there;
//	                                       without over: in the length of the run
//	step 100/s:10s, 500/s:10s, 0..50/s:5s  one after the other, each for its time; of two rates: from one to the other
//	spike 200/s..2000/s from 10s for 5s    is the first, and the second for a time
//	on-off 50/s..500/s on 2s off 3s        is the second while on, which it is first, the first while off; of one rate: 0 while off
//	sine 100/s..900/s every 60s            swings from the first to the second and back, again and again
//
// Length 0 is that of the ramp or the steps, and [DefaultLength] for the others.
// A ramp or steps that end before the run do stay as they are at their end; they
// must not end after it, and no more must a spike.
func Parse(rate, arrivals string, length time.Duration) (*Schedule, error) {
	var f faults
	a, ok := parseArrivals(arrivals)
	if !ok {
		f.want("arrivals", "want poisson, or constant for evenly spaced requests, have %.40q", arrivals)
	}
	if length != 0 {
		f.length("duration", length)
	}
	p := parser{faults: &f, length: min(max(length, 0), MaxLength)}
	c := p.curve(rate)
	if err := f.all.Err(); err != nil {
		return nil, err
	}
	return made(c, a, p.length)
}

// parser reads the text of a rate.
type parser struct {
	faults *faults
	length time.Duration // of the run; 0: not known yet
}

func (p *parser) want(format string, args ...any) { p.faults.want("rate", format, args...) }

// signs are what may have spaces round it.
var signs = regexp.MustCompile(`\s*(\.\.|[/:])\s*`)

func (p *parser) curve(text string) curve {
	words := strings.Fields(signs.ReplaceAllString(text, "$1"))
	if len(words) == 0 {
		p.want("want a rate such as %s", Forms)
		return nil
	}
	switch rest := words[1:]; words[0] {
	case "ramp":
		return p.ramp(rest)
	case "step":
		return p.step(strings.Join(rest, " "))
	case "spike":
		return p.spike(rest)
	case "on-off":
		return p.onOff(rest)
	case "sine":
		return p.sine(rest)
	}
	if c := words[0][0]; c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' {
		p.want("want %s, have %.60q", Forms, text)
		return nil
	}
	if len(words) > 1 {
		p.want("want nothing after a rate that does not change, have %.60q", strings.Join(words[1:], " "))
	}
	r, ok := p.rate(words[0], "")
	if ok {
		p.faults.rate("rate", r)
	}
	p.length = p.orDefault()
	return newPieces([]piece{{r, r, p.length}})
}

func (p *parser) orDefault() time.Duration {
	if p.length == 0 {
		return DefaultLength
	}
	return p.length
}

// ends is where a ramp or steps end, and makes it the length of the run if that
// has none. False: that is after the end of the run.
func (p *parser) ends(what string, end time.Duration) bool {
	switch {
	case end > MaxLength || end < 0:
		p.want("want a time of at most %v in all", MaxLength)
		return false
	case p.length == 0:
		p.length = end
	case end > p.length:
		p.faults.want("duration", "want at least the %v that the %s takes, or none, have %v", end, what, p.length)
		return false
	}
	return true
}

// span reads a rate, or two with .. between them; of one both are that one.
func (p *parser) span(text string) (from, to float64, two, ok bool) {
	first, second, two := strings.Cut(text, "..")
	if !two {
		from, ok = p.rate(text, "")
		return from, from, false, ok
	}
	_, unit, _ := strings.Cut(second, "/")
	from, ok1 := p.rate(first, unit)
	to, ok2 := p.rate(second, "")
	return from, to, true, ok1 && ok2
}

// units are what a rate may be in.
var units = map[string]float64{"s": 1, "m": 60, "h": 3600}

// rate reads a rate of 0 or more. The other unit is of one without its own.
func (p *parser) rate(text, other string) (float64, bool) {
	number, unit, has := strings.Cut(text, "/")
	if !has {
		if unit = other; unit == "" {
			unit = "s"
		}
	}
	per, known := units[unit]
	n, ok := parseNumber(number)
	if !known || !ok {
		p.want("want a rate such as 500/s, 30000/m or 100/h, have %.40q", text)
		return 0, false
	}
	if n /= per; !(n >= 0) || n > MaxRate || math.Signbit(n) {
		p.want("want a rate from 0 to %.0f/s, have %.40q", float64(MaxRate), text)
		return 0, false
	}
	return n, true
}
