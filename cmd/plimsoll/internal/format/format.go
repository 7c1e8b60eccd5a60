// Package format writes numbers as people read them.
package format

import (
	"math"
	"strconv"
	"time"
)

// Count is a whole number with commas between the thousands.
func Count(n uint64) string {
	s := strconv.FormatUint(n, 10)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

// Rate is a number of requests a second: whole, where that says enough.
func Rate(v float64) string {
	if v < 10 && v > 0 {
		return figures(v)
	}
	return Count(uint64(math.Round(max(v, 0))))
}

// Share is a part of a whole in per cent; a dash where there is no whole. What
// is not quite all, or not quite nothing, does not look as if it were.
func Share(part, whole float64) string {
	if whole <= 0 {
		return "–"
	}
	percent := 100 * part / whole
	switch s := strconv.FormatFloat(percent, 'f', 1, 64); {
	case percent < 100 && s == "100.0":
		return "99.9 %"
	case percent > 0 && s == "0.0":
		return "<0.1 %"
	case percent == math.Trunc(percent):
		return strconv.FormatFloat(percent, 'f', 0, 64) + " %"
	default:
		return s + " %"
	}
}

// Whole is a number of things.
func Whole(v float64) string { return Count(uint64(math.Round(max(v, 0)))) }

// Wait is a duration of three figures; round ones are written as they are.
func Wait(d time.Duration) string {
	switch {
	case d == 0:
		return "0"
	case d < time.Microsecond:
		return figures(float64(d)) + " ns"
	case d < time.Millisecond:
		return figures(float64(d)/1e3) + " µs"
	case d < time.Second:
		return figures(float64(d)/1e6) + " ms"
	case d < 1000*time.Second:
		return figures(d.Seconds()) + " s"
	}
	return Count(uint64(math.Round(d.Seconds()))) + " s"
}

// Seconds is [Wait] of a time in seconds.
func Seconds(v float64) string { return Wait(time.Duration(math.Round(v * 1e9))) }

// figures is a number of three significant figures.
func figures(v float64) string {
	switch {
	case v == math.Trunc(v) && v < 1000:
		return strconv.FormatFloat(v, 'f', 0, 64)
	case v >= 100:
		return strconv.FormatFloat(v, 'f', 0, 64)
	case v >= 10:
		return strconv.FormatFloat(v, 'f', 1, 64)
	case v >= 0.1:
		return strconv.FormatFloat(v, 'f', 2, 64)
	}
	return strconv.FormatFloat(v, 'g', 2, 64)
}

// Size is an amount of memory.
func Size(n int64) string {
	v, unit := float64(n), 0
	for v >= 1000 && unit < 4 {
		v, unit = v/1000, unit+1
	}
	return figures(v) + " " + []string{"B", "kB", "MB", "GB", "TB"}[unit]
}
