package trace

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"
)

// units are those that a column of times may name, and that a time may have.
var units = map[string]time.Duration{
	"s": time.Second, "ms": time.Millisecond, "us": time.Microsecond, "ns": time.Nanosecond,
}

// longest is the longest time: ten years, as in a simulation.
const longest = 10 * 365 * 24 * time.Hour

// parseTime reads a number of units, or a time with a unit of its own.
func parseTime(text string, unit time.Duration) (time.Duration, error) {
	want := func() error {
		return fmt.Errorf("want a time of 0 or more as seconds or with a unit, such as 1.5 or 1500ms, have %.40q", text)
	}
	d, err := parseDecimal(text, unit)
	if err != nil {
		if d, err = time.ParseDuration(text); err != nil {
			return 0, want()
		}
	}
	switch {
	case d < 0 || strings.HasPrefix(text, "-"):
		return 0, want()
	case d > longest:
		return 0, fmt.Errorf("want at most ten years, have %.40q", text)
	}
	return d, nil
}

var errNumber = errors.New("not a number")

// parseDecimal reads a number of units, rounded to a nanosecond. It computes in
// whole numbers, so that what was written is read back to the nanosecond at any
// distance from the beginning; only numbers with an exponent go by way of a
// float.
func parseDecimal(text string, unit time.Duration) (time.Duration, error) {
	if strings.ContainsAny(text, "eE") {
		return parseExponent(text, unit)
	}
	whole, fraction, dotted := strings.Cut(text, ".")
	if !digits(whole) || !digits(fraction) || whole+fraction == "" || dotted && fraction == "" {
		return 0, errNumber
	}
	n := int64(0)
	if whole != "" {
		var err error
		if n, err = strconv.ParseInt(whole, 10, 64); err != nil || n > int64(longest/unit) {
			return longest + 1, nil
		}
	}
	d := time.Duration(n) * unit
	step, rest := unit, int64(0)
	for i := range len(fraction) {
		if step == 1 {
			rest = int64(fraction[i] - '0')
			break
		}
		step /= 10
		d += time.Duration(fraction[i]-'0') * step
	}
	if rest >= 5 {
		d++
	}
	return d, nil
}

func digits(s string) bool {
	for i := range len(s) {
		if s[i] < '0' || s[i] > '9' {
			return false
		}
	}
	return true
}

func parseExponent(text string, unit time.Duration) (time.Duration, error) {
	if strings.Trim(text, "0123456789.eE+-") != "" {
		return 0, errNumber
	}
	f, err := strconv.ParseFloat(text, 64)
	if err != nil || f < 0 {
		return 0, errNumber
	}
	if f = float64(f * float64(unit)); f > float64(longest) {
		return longest + 1, nil
	}
	return time.Duration(f + 0.5), nil
}

// appendSeconds writes a time of 0 or more as seconds, exactly.
func appendSeconds(b []byte, d time.Duration) []byte {
	b = strconv.AppendInt(b, int64(d/time.Second), 10)
	rest := int64(d % time.Second)
	if rest == 0 {
		return b
	}
	b = append(b, '.')
	for step := int64(time.Second / 10); rest > 0; step /= 10 {
		b = append(b, byte('0'+rest/step))
		rest %= step
	}
	return b
}
