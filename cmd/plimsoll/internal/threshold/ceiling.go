package threshold

import (
	"fmt"
	"math"
	"slices"
	"time"
)

// most is the most that the metric can come to in any run of a load, and why, for
// a fault: callers hang up at their deadline, and try again so often. +Inf: it is
// not known before.
func (t *Threshold) most(load Load) (most float64, why string) {
	classes := load.Classes
	if t.classes != nil {
		classes = slices.DeleteFunc(slices.Clone(classes), func(c Class) bool { return !slices.Contains(t.classes, c.Name) })
	}
	switch {
	case t.metric.Unit == Share:
		return 1, ""
	case t.metric.hangsUp:
		longest := highest(classes, func(c Class) time.Duration { return c.Deadline })
		if longest > 0 {
			// Those who hang up at it do so a little later.
			return math.Nextafter(longest.Seconds(), math.Inf(1)), fmt.Sprintf(", as callers hang up after %s", longest)
		}
	case t.metric.Unit == Ratio:
		attempts := highest(classes, func(c Class) int { return c.Attempts })
		if attempts > 0 {
			return float64(attempts), fmt.Sprintf(", as nobody makes more attempts than %d", attempts)
		}
	}
	return math.Inf(1), ""
}

// highest is that of all classes; 0: it is not known of one, or there is none.
func highest[N int | time.Duration](classes []Class, of func(Class) N) (n N) {
	for _, c := range classes {
		if of(c) <= 0 {
			return 0
		}
		n = max(n, of(c))
	}
	return n
}
