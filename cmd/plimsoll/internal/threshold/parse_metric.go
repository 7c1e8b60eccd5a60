package threshold

import (
	"math"
	"strconv"
	"strings"
)

// metric reads a metric and its argument. It is false where reading on makes no
// sense.
func (p *parser) metric(t *Threshold) bool {
	at, name := p.upTo("({<>=! \t")
	argument := ""
	var argumentAt int
	called := p.take('(')
	if called {
		argumentAt, argument = p.upTo(")")
		if !p.take(')') {
			p.wantAt(p.at, ") behind %s(%s", name, argument)
			return false
		}
	}
	for i := range metrics {
		if bare, _, takes := strings.Cut(metrics[i].Name, "("); bare == name && (takes || !called) {
			t.metric = &metrics[i]
		}
	}
	switch m := t.metric; {
	case m == nil:
		p.unknown(at, name, called)
	case m.argument == percentile:
		p.percent(t, argument, argumentAt, called)
	case m.argument == counted:
		p.counted(t, argument, argumentAt, called)
	}
	return true
}

// unknown is the fault of a metric that there is none of.
func (p *parser) unknown(at int, name string, called bool) {
	names := make([]string, len(metrics))
	for i, m := range metrics {
		names[i], _, _ = strings.Cut(m.Name, "(")
		if names[i] == name && called {
			p.wantAt(at+len([]rune(name)), "no parentheses behind %s", name)
			return
		}
	}
	if prefix, digits, ok := cutLast(name, "p"); ok && digits != "" && strings.Trim(digits, "0123456789.") == "" {
		p.wantAt(at, "a metric, have %q; did you mean %sp(%s)?", name, prefix, digits)
		return
	}
	if name == "" {
		p.wantAt(at, "a metric, have %s: one of %s", p.rest(), strings.Join(names, ", "))
		return
	}
	p.wantAt(at, "%s", nearest("a metric", name, names))
}

func cutLast(s, sep string) (before, after string, ok bool) {
	i := strings.LastIndex(s, sep)
	if i < 0 {
		return s, "", false
	}
	return s[:i], s[i+len(sep):], true
}

func (p *parser) percent(t *Threshold, text string, at int, called bool) {
	n, err := strconv.ParseFloat(text, 64)
	switch {
	case !called:
		p.wantAt(p.at, "which percentile, such as %s", strings.Replace(t.metric.Name, "N", "99", 1))
	case err == nil && n > 0 && n < 1:
		p.wantAt(at, "a percentile from 1 to 100, have %s; did you mean %s?", text, strconv.FormatFloat(math.Round(n*1e6)/1e4, 'f', -1, 64))
	case err != nil || !(n >= 1 && n <= 100):
		p.wantAt(at, "a percentile from 1 to 100, have %q", text)
	default:
		t.percent = n
	}
}

func (p *parser) counted(t *Threshold, text string, at int, called bool) {
	var names []string
	for _, c := range counts {
		if called && c.name == text {
			t.count = c
			return
		}
		names = append(names, c.name)
	}
	if !called {
		at = p.at
	}
	p.wantAt(at, "%s", nearest("what is counted", text, names))
}
