package cache

import (
	"strings"
	"time"
)

// forever stands for a number of seconds that is too large to matter (RFC 9111
// 1.2.2), and for max-stale without a number.
const forever = (1 << 31) * time.Second

// seconds is the argument of a directive. The zero value: it is not there.
type seconds struct {
	d     time.Duration
	given bool
	bad   bool // no number, or two that differ: to be taken as the worst
}

// take notes one occurrence of the directive.
func (s *seconds) take(value string) {
	d, ok := parseSeconds(value)
	switch {
	case !ok || s.given && (s.bad || s.d != d):
		*s = seconds{given: true, bad: true}
	default:
		*s = seconds{d: d, given: true}
	}
}

// control is what Cache-Control says (RFC 9111 5.2, RFC 5861), of a request or
// of an answer.
type control struct {
	noStore, noCache                bool
	public, private                 bool
	mustRevalidate, proxyRevalidate bool
	mustUnderstand                  bool
	onlyIfCached                    bool

	maxAge, sMaxAge                    seconds
	minFresh, maxStale                 seconds
	staleWhileRevalidate, staleIfError seconds
}

// parseControl reads the lines of a Cache-Control field. What is not known is
// passed over. A directive that forbids something counts with whatever
// argument it has: private="Set-Cookie" as private.
func parseControl(lines []string) control {
	var c control
	for _, line := range lines {
		for line != "" {
			var name, value string
			name, value, line = nextDirective(line)
			c.take(name, value)
		}
	}
	return c
}

func (c *control) take(name, value string) {
	switch name {
	case "no-store":
		c.noStore = true
	case "no-cache":
		c.noCache = true
	case "private":
		c.private = true
	case "public":
		c.public = true
	case "must-revalidate":
		c.mustRevalidate = true
	case "proxy-revalidate":
		c.proxyRevalidate = true
	case "must-understand":
		c.mustUnderstand = true
	case "only-if-cached":
		c.onlyIfCached = true
	case "max-age":
		c.maxAge.take(value)
	case "s-maxage":
		c.sMaxAge.take(value)
	case "min-fresh":
		c.minFresh.take(value)
	case "max-stale":
		if value == "" {
			value = "2147483648" // any time (5.2.1.2)
		}
		c.maxStale.take(value)
	case "stale-while-revalidate":
		c.staleWhileRevalidate.take(value)
	case "stale-if-error":
		c.staleIfError.take(value)
	}
}

// nextDirective takes one directive off a line: its name in lower case, and
// its argument without quotes. A comma within quotes ends nothing.
func nextDirective(line string) (name, value, rest string) {
	end, quoted := len(line), false
	for i := 0; i < len(line); i++ {
		switch {
		case quoted && line[i] == '\\':
			i++
		case line[i] == '"':
			quoted = !quoted
		case line[i] == ',' && !quoted:
			end, rest = i, line[i+1:]
		}
		if end == i {
			break
		}
	}
	name, value, _ = strings.Cut(line[:end], "=")
	name = lower(strings.Trim(name, " \t"))
	value = strings.Trim(value, " \t")
	if len(value) >= 2 && value[0] == '"' && value[len(value)-1] == '"' {
		value = value[1 : len(value)-1]
	}
	return name, value, rest
}

// parseSeconds reads delta-seconds (RFC 9111 1.2.2): digits, and nothing else.
func parseSeconds(s string) (time.Duration, bool) {
	if s == "" {
		return 0, false
	}
	n := time.Duration(0)
	for i := range len(s) {
		if s[i] < '0' || s[i] > '9' {
			return 0, false
		}
		n = min(n*10+time.Duration(s[i]-'0'), forever/time.Second)
	}
	return n * time.Second, true
}
