package scenario

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/plimsoll-go/plimsoll/cmd/plimsoll/internal/strict"
)

// quantity is what a formula comes to: a number, a time in nanoseconds, or
// what products and quotients of them are, by the power of time.
type quantity struct {
	v    float64
	time int
}

// isFormula reports whether v is a formula: text that begins with "=".
func isFormula(v strict.Value) bool {
	return v.Scalar("!!str") && v.Node != nil && strings.HasPrefix(v.Text, "=")
}

// formula computes a formula: + - * /, parentheses, numbers, times with a unit
// and the parameters of the file.
func (r *reader) formula(v strict.Value) (quantity, bool) {
	p := &parser{rest: v.Text[1:], r: r}
	q := p.sum()
	p.space()
	switch {
	case p.poisoned:
		return q, false
	case p.err == "" && p.rest != "":
		p.fail("an operator, + - * or /, before %q", first(p.rest))
	case p.err == "" && (math.IsNaN(q.v) || math.IsInf(q.v, 0)):
		p.fail("a formula whose value is finite")
	}
	if p.err != "" {
		r.WantNot(v, "%s", p.err)
		return q, false
	}
	return q, true
}

// parser computes a formula by recursive descent. After the first fault it
// only comes to an end.
type parser struct {
	rest     string
	r        *reader
	depth    int
	err      string // what is wanted
	poisoned bool   // it has a parameter whose own value is a fault
}

func (p *parser) fail(format string, args ...any) {
	if p.err == "" {
		p.err = fmt.Sprintf(format, args...)
	}
	p.rest = ""
}

func (p *parser) space() { p.rest = strings.TrimLeft(p.rest, " \t\n") }

// next takes one of some operators, if it comes next.
func (p *parser) next(operators string) byte {
	p.space()
	if p.rest == "" || strings.IndexByte(operators, p.rest[0]) < 0 {
		return 0
	}
	c := p.rest[0]
	p.rest = p.rest[1:]
	return c
}

func (p *parser) sum() quantity {
	q := p.product()
	for {
		op := p.next("+-")
		if op == 0 {
			return q
		}
		o := p.product()
		if q.time != o.time {
			p.fail("a formula that adds up numbers, or times, and not both")
		}
		if op == '-' {
			o.v = -o.v
		}
		q.v = float64(q.v + o.v)
	}
}

func (p *parser) product() quantity {
	q := p.factor()
	for {
		switch p.next("*/") {
		case '*':
			o := p.factor()
			q = quantity{float64(q.v * o.v), q.time + o.time}
		case '/':
			o := p.factor()
			q = quantity{float64(q.v / o.v), q.time - o.time}
		default:
			return q
		}
	}
}

// mostNested bounds parentheses and signs.
const mostNested = 50

func (p *parser) factor() quantity {
	if p.depth++; p.depth > mostNested {
		p.fail("a formula with fewer parentheses")
	}
	defer func() { p.depth-- }()
	switch p.next("-(") {
	case '-':
		q := p.factor()
		return quantity{-q.v, q.time}
	case '(':
		q := p.sum()
		if p.next(")") == 0 {
			p.fail("a ) for every ( of the formula")
		}
		return q
	}
	text := p.token()
	switch {
	case text == "":
		p.fail("a number, a time or a parameter after every operator of the formula")
	case text[0] >= '0' && text[0] <= '9':
		return p.literal(text)
	default:
		return p.parameter(text)
	}
	return quantity{}
}

// token takes a number, a time or a name.
func (p *parser) token() string {
	n := strings.IndexFunc(p.rest, func(c rune) bool {
		return !(c == '.' || c == '_' || c == 'µ' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z')
	})
	if n < 0 {
		n = len(p.rest)
	}
	text := p.rest[:n]
	p.rest = p.rest[n:]
	return text
}

func (p *parser) literal(text string) quantity {
	if n, err := strconv.ParseFloat(text, 64); err == nil && decimal.MatchString(text) {
		return quantity{n, 0}
	}
	d, err := strict.ParseDuration(text)
	if err != nil {
		p.fail("numbers, and times with a unit such as 10ms, in the formula")
	}
	return quantity{float64(d / time.Nanosecond), 1}
}

func (p *parser) parameter(name string) quantity {
	if v, ok := p.r.set[name]; ok {
		return quantity{v, 0}
	}
	for _, known := range p.r.file.Parameters {
		if known.Name == name {
			return quantity{known.Value, 0}
		}
	}
	p.poisoned = p.poisoned || slices.Contains(p.r.file.unknown, name)
	p.fail("known parameters in the formula (%s), not %s", list(p.r.file.parameterNames()), name)
	return quantity{}
}

func first(s string) string {
	if len(s) > 10 {
		return s[:10]
	}
	return s
}
