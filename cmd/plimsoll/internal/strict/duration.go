package strict

import (
	"errors"
	"strings"
	"time"
)

var (
	errUnit  = errors.New("a duration that is not negative; it needs a unit right behind the number, such as 500ms, 2s or 1h30m")
	errRange = errors.New("a duration of 292 years (2562047h) at most")
)

// ParseDuration reads a duration as people write them: digits with a unit
// behind each number. A number without a unit is an error, also in quotes and
// also where zero or nanoseconds would make sense of it.
func ParseDuration(s string) (time.Duration, error) {
	if s == "0" {
		return 0, nil
	}
	// What time.ParseDuration takes beyond that: signs, and "." alone.
	if s == "" || s[0] < '0' || s[0] > '9' {
		return 0, errUnit
	}
	d, err := time.ParseDuration(s)
	switch {
	case err == nil:
		return d, nil
	case tooLong(s):
		return 0, errRange
	}
	return 0, errUnit
}

// tooLong reports whether s is a well-formed duration, only too long: the
// same with every digit a zero can be read.
func tooLong(s string) bool {
	zeros := strings.Map(func(r rune) rune {
		if r >= '0' && r <= '9' {
			return '0'
		}
		return r
	}, s)
	_, err := time.ParseDuration(zeros)
	return err == nil && strings.ContainsAny(s, "hms")
}
