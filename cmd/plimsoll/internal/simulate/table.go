package simulate

import (
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
)

// number writes a rate or a count for people: whole from 100 on, below with
// three digits that count.
func number(v float64) string {
	switch a := math.Abs(v); {
	case math.IsNaN(v):
		return "-"
	case a >= 99.95 || a == math.Trunc(a):
		return strconv.FormatFloat(v, 'f', 0, 64)
	case a >= 9.995:
		return strconv.FormatFloat(v, 'f', 1, 64)
	}
	return strconv.FormatFloat(v, 'f', 2, 64)
}

// span writes a time for people, with three digits that count.
func span(d time.Duration) string {
	if d == 0 {
		return "-"
	}
	unit := time.Nanosecond
	for unit*1000 <= d {
		unit *= 10
	}
	return d.Round(unit).String()
}

func seconds(v float64) string { return span(time.Duration(v * float64(time.Second))) }

func percent(part, whole float64) string {
	if whole == 0 {
		return "-"
	}
	return number(100*part/whole) + " %"
}

func count(n uint64) string { return strconv.FormatUint(n, 10) }

// with writes an estimate and how far off it may be.
func (e estimate) with(text func(float64) string) string {
	switch {
	case math.IsNaN(e.half):
		return text(e.mean)
	case e.half == 0:
		return text(e.mean) + " ±0"
	}
	return text(e.mean) + " ±" + strings.TrimPrefix(text(e.half), "+")
}

// lines is text in three columns, all to the left.
type lines [][3]string

func (l lines) write(w io.Writer) {
	var widths [2]int
	for _, row := range l {
		for i := range widths {
			widths[i] = max(widths[i], utf8.RuneCountInString(row[i]))
		}
	}
	for _, row := range l {
		text := fmt.Sprintf("%-*s  %-*s  %s", widths[0], row[0], widths[1], row[1], row[2])
		fmt.Fprintln(w, strings.TrimRight(text, " "))
	}
}
