package schedule

import (
	"math"
	"slices"
	"strconv"
	"strings"
	"time"
)

func (p *parser) ramp(words []string) curve {
	from, to, _, ok := p.spanOf("ramp", "ramp 100/s..2000/s over 30s", &words, true)
	over, okTimes := p.length, true
	if len(words) > 0 || over == 0 {
		var times []time.Duration
		if times, okTimes = p.times("ramp", words, "over"); okTimes {
			over = times[0]
		}
	}
	if !ok || !okTimes || !p.ends("ramp", over) {
		return nil
	}
	return held([]piece{{from, to, over}}, p.length)
}

// held are pieces whose last rate stays until the end of the run.
func held(all []piece, length time.Duration) curve {
	sum := time.Duration(0)
	for _, one := range all {
		sum += one.length
	}
	if last := all[len(all)-1].to; sum < length {
		all = append(all, piece{last, last, length - sum})
	}
	return newPieces(all)
}

func (p *parser) step(text string) curve {
	steps := strings.Fields(strings.ReplaceAll(text, ",", " "))
	if len(steps) == 0 {
		p.want("want steps such as step 100/s:10s, 500/s:10s")
		return nil
	}
	if len(steps) > MaxSteps {
		p.want("want at most %d steps, have %d", MaxSteps, len(steps))
		return nil
	}
	var all []piece
	sum := time.Duration(0)
	for _, one := range steps {
		rate, time, has := strings.Cut(one, ":")
		if !has || rate == "" {
			p.want("want steps such as step 100/s:10s, 500/s:10s, each a rate and how long it lasts, have %.40q", one)
			continue
		}
		from, to, _, ok := p.span(rate)
		d, okTime := p.time("step "+rate, time)
		if ok && okTime {
			all = append(all, piece{from, to, d})
			sum = min(sum+d, MaxLength+1)
		}
	}
	if len(all) < len(steps) || !p.ends("step list", sum) {
		return nil
	}
	return held(all, p.length)
}

func (p *parser) spike(words []string) curve {
	base, peak, _, ok := p.spanOf("spike", "spike 200/s..2000/s from 10s for 5s", &words, true)
	times, okTimes := p.times("spike", words, "from", "for")
	if !ok || !okTimes {
		return nil
	}
	from, lasts := times[0], times[1]
	p.length = p.orDefault()
	if from+lasts > p.length {
		p.faults.want("duration", "want at least the %v at which the spike ends, and time after it to see what recovers, have %v", from+lasts, p.length)
		return nil
	}
	return held([]piece{{base, base, from}, {peak, peak, lasts}, {base, base, p.length - from - lasts}}, 0)
}

func (p *parser) onOff(words []string) curve {
	low, high, two, ok := p.spanOf("on-off", "on-off 50/s..500/s on 2s off 3s", &words, false)
	if !two {
		low = 0
	}
	times, okTimes := p.times("on-off", words, "on", "off")
	p.length = p.orDefault()
	if !ok || !okTimes {
		return nil
	}
	if low == 0 && high == 0 {
		p.want("want a rate above 0 while on")
		return nil
	}
	return newOnOff(low, high, times[0], times[1])
}

func (p *parser) sine(words []string) curve {
	low, high, _, ok := p.spanOf("sine", "sine 100/s..900/s every 60s", &words, true)
	times, okTimes := p.times("sine", words, "every")
	p.length = p.orDefault()
	if !ok || !okTimes {
		return nil
	}
	if low == 0 && high == 0 {
		p.want("want a rate above 0 at one end of the sine")
		return nil
	}
	return sine{low: low, high: high, period: times[0]}
}

// spanOf takes the rates of a form off its words.
func (p *parser) spanOf(form, example string, words *[]string, pair bool) (from, to float64, two, ok bool) {
	if len(*words) == 0 {
		p.want("want rates after %s, such as %s", form, example)
		return 0, 0, false, false
	}
	text := (*words)[0]
	*words = (*words)[1:]
	from, to, two, ok = p.span(text)
	if pair && ok && !two {
		p.want("want two rates, such as %s, have %.40q", example, text)
		ok = false
	}
	return from, to, two, ok
}

// times reads pairs of a name and a time, in any order, each name once.
func (p *parser) times(form string, words []string, names ...string) ([]time.Duration, bool) {
	found, fine := make([]time.Duration, len(names)), true
	wrong := func(format string, args ...any) {
		p.want(format, args...)
		fine = false
	}
	seen := make([]bool, len(names))
	for len(words) > 0 {
		i := slices.Index(names, words[0])
		switch {
		case i < 0:
			wrong("want %s after the rates of %s, each with a time, have %.40q", strings.Join(names, " and "), form, words[0])
			return nil, false
		case seen[i]:
			wrong("want %s once", names[i])
		}
		seen[i] = true
		if len(words) == 1 {
			wrong("want a time after %s", names[i])
			break
		}
		var ok bool
		if found[i], ok = p.time(names[i], words[1]); !ok {
			fine = false
		}
		words = words[2:]
	}
	for i, name := range names {
		if !seen[i] {
			wrong("want %s and a time, such as %s 10s, in %s", name, name, form)
		}
	}
	return found, fine
}

// time reads a time above 0.
func (p *parser) time(what, text string) (time.Duration, bool) {
	d, err := time.ParseDuration(text)
	if err != nil {
		if _, number := parseNumber(text); number {
			p.want("%s: want a time with a unit, such as 10s or 500ms, have %.40q", what, text)
		} else {
			p.want("%s: want a time such as 10s or 500ms, have %.40q", what, text)
		}
		return 0, false
	}
	if d <= 0 || d > MaxLength {
		p.want("%s: want a time above 0 and of at most %v, have %.40q", what, MaxLength, text)
		return 0, false
	}
	return d, true
}

// parseNumber reads a decimal number and nothing else that strconv knows.
func parseNumber(text string) (float64, bool) {
	if strings.Trim(text, "0123456789.eE+-") != "" {
		return 0, false
	}
	n, err := strconv.ParseFloat(text, 64)
	if err != nil {
		return n, math.IsInf(n, 0) // it is a number, though one above every bound
	}
	return n, true
}
