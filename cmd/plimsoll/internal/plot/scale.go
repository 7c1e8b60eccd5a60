package plot

import (
	"math"
	"strconv"
	"time"
)

// Axis is what a height stands for.
type Axis interface {
	// Share is how far up a value lies: 0 at the foot, 1 at the top.
	Share(v float64) float64
	// Lines are the values that are drawn across, lowest first, and what
	// stands beside each. The first is at the foot.
	Lines() []Line
}

// Line is a value that an axis names.
type Line struct {
	At    float64
	Label string
}

// Scale is an axis that begins at zero.
type Scale struct {
	Step  float64 // between two marks
	Marks int     // above zero
}

// End is how far the axis goes.
func (s Scale) End() float64 { return s.Step * float64(s.Marks) }

// Share implements [Axis].
func (s Scale) Share(v float64) float64 { return v / s.End() }

// Lines implements [Axis].
func (s Scale) Lines() []Line {
	out := make([]Line, s.Marks+1)
	for i := range out {
		out[i] = Line{s.Step * float64(i), s.Label(i)}
	}
	return out
}

// Decades is a logarithmic axis. What lies below its foot is drawn there.
type Decades struct {
	Least int // the power of ten at its foot
	N     int // how many decades it spans
	Name  func(v float64) string
}

// Share implements [Axis].
func (d Decades) Share(v float64) float64 {
	if !(v > 0) {
		return 0
	}
	return max(0, (math.Log10(v)-float64(d.Least))/float64(d.N))
}

// Lines implements [Axis].
func (d Decades) Lines() []Line {
	out := make([]Line, d.N+1)
	for i := range out {
		v := math.Pow10(d.Least + i)
		out[i] = Line{v, d.Name(v)}
	}
	return out
}

// Nice is the finest scale of at most n marks, with steps of 1, 2 or 5 times a
// power of ten, that goes as far as v. Where v is not above zero, it goes to 1.
func Nice(v float64, n int) Scale {
	if !(v > 0) || math.IsInf(v, 1) {
		return Scale{1, 1}
	}
	for step := math.Pow(10, math.Floor(math.Log10(v/float64(n)))); ; step *= 10 {
		for _, m := range []float64{1, 2, 5} {
			if marks := math.Ceil(v / (m * step)); marks <= float64(n) {
				return Scale{m * step, max(1, int(marks))}
			}
		}
	}
}

// Label is what stands at a mark: 20k for twenty thousand.
func (s Scale) Label(mark int) string {
	unit, name := 1.0, ""
	switch end := s.End(); {
	case end >= 1e10:
		unit, name = 1e9, "G"
	case end >= 1e7:
		unit, name = 1e6, "M"
	case end >= 1e4:
		unit, name = 1e3, "k"
	}
	if mark == 0 {
		return "0"
	}
	digits := max(0, -int(math.Floor(math.Log10(s.Step/unit)+1e-9)))
	return strconv.FormatFloat(s.Step/unit*float64(mark), 'f', digits, 64) + name
}

// Tick is a time that an axis names.
type Tick struct {
	At    time.Duration
	Label string
}

// Ticks are at most n+1 round times from 0 to a length above zero.
func Ticks(length time.Duration, n int) []Tick {
	step := tickStep(length, n)
	var out []Tick
	for at := time.Duration(0); at <= length; at += step {
		out = append(out, Tick{at, tickLabel(at, step)})
	}
	return out
}

func tickStep(length time.Duration, n int) time.Duration {
	least := length / time.Duration(n)
	if least < time.Second {
		s := Nice(length.Seconds(), n)
		return max(1, time.Duration(math.Round(s.Step*float64(time.Second))))
	}
	for _, step := range []time.Duration{
		1, 2, 5, 10, 20, 30, 60, 2 * 60, 5 * 60, 10 * 60, 20 * 60, 30 * 60, 3600, 2 * 3600, 4 * 3600, 6 * 3600, 12 * 3600,
	} {
		if step *= time.Second; step >= least && length/step <= time.Duration(n) {
			return step
		}
	}
	const day = 24 * time.Hour
	return day * time.Duration(math.Ceil(float64(least)/float64(day)))
}

func tickLabel(at, step time.Duration) string {
	unit, name := time.Second, " s"
	switch {
	case step >= time.Hour:
		unit, name = time.Hour, " h"
	case step >= time.Minute:
		unit, name = time.Minute, " min"
	}
	return strconv.FormatFloat(at.Seconds()/unit.Seconds(), 'f', -1, 64) + name
}
