package cache

import (
	"net/http"
	"strings"
	"time"
)

// exchange is when an answer was asked for and when it came.
type exchange struct{ asked, came time.Time }

// initialAge is how old an answer was when it came, at the least
// (corrected_initial_age of RFC 9111 4.2.3).
func initialAge(h http.Header, at exchange) time.Duration {
	corrected := max(0, at.came.Sub(at.asked))
	if v, ok := ageValue(h["Age"]); ok {
		corrected += v
	}
	return max(apparentAge(h, at), corrected)
}

// apparentAge is what its date says of the age of an answer. An answer without
// one is dated when it comes (RFC 9110 6.6.1).
func apparentAge(h http.Header, at exchange) time.Duration {
	if date, ok := parseDate(h["Date"]); ok {
		return min(max(0, at.came.Sub(date)), forever)
	}
	return 0
}

// ageValue reads Age (RFC 9111 5.1): of a list the first, and what is no number
// is passed over.
func ageValue(lines []string) (time.Duration, bool) {
	if len(lines) == 0 {
		return 0, false
	}
	v, _, _ := strings.Cut(lines[0], ",")
	return parseSeconds(strings.Trim(v, " \t"))
}

// parseDate reads an HTTP date in any of its three forms (RFC 9110 5.6.7). Of
// two lines that differ it reads none.
func parseDate(lines []string) (time.Time, bool) {
	if len(lines) == 0 {
		return time.Time{}, false
	}
	for _, other := range lines[1:] {
		if other != lines[0] {
			return time.Time{}, false
		}
	}
	t, err := http.ParseTime(lines[0])
	if err != nil || t.Location() != time.UTC && !strings.HasSuffix(lines[0], " GMT") {
		return time.Time{}, false // net/http takes any name for a zone, as UTC
	}
	return t.UTC(), true
}
