package limit

import (
	"fmt"
	"time"
)

// The windows of [AIMD], [Vegas], [Gradient] and [Gradient2] are those of
// WindowedLimit in github.com/Netflix/concurrency-limits: they last a second,
// fewer than ten samples are thrown away, and so is what took less than 100 us.
const (
	windowedTime    = time.Second
	windowedSamples = 10
	windowedMinimum = 100 * time.Microsecond
)

// sample is one window as those four take it.
type sample struct {
	rtt      time.Duration // mean of all successes in time; 0: none was measured
	inFlight int           // the largest
	drop     bool          // something was lost
}

// sampleOf reads a window in which limit should have been in force. It is not
// ok when there is nothing to learn from it: no length, another limit, or too
// few samples. A loss is a sample without a latency. Where the mean is below the
// minimum all successes are left out, since they are known together only.
func sampleOf(w Window, limit int) (s sample, ok bool) {
	if w.End <= w.Start || w.Limit != limit {
		return sample{}, false
	}
	s = sample{inFlight: w.MaxInFlight, drop: w.Lost > 0}
	n := w.Uncontended.Count() + w.Waited.Count()
	if n > 0 {
		s.rtt = (w.Uncontended.Sum() + w.Waited.Sum()) / time.Duration(n)
	}
	if s.rtt < windowedMinimum {
		s.rtt, n = 0, 0
	}
	return s, n+uint64(max(w.Lost, 0)) >= windowedSamples
}

// windowed asks for the next window. It never claims [Next.Saturated]: latency
// above a baseline, or a loss, is no evidence that more in flight would not be
// answered.
func windowed(limit int) Next {
	return Next{Limit: limit, MinSamples: windowedSamples, MinTime: windowedTime, MaxTime: windowedTime}
}

// bounds are where a limit starts and what it stays between.
type bounds struct{ min, max, initial int }

// or takes d for what is 0, or the nearest to it that the others permit.
func (b bounds) or(d bounds) bounds {
	if b.min == 0 {
		b.min = d.min
		if b.max > 0 {
			b.min = min(d.min, b.max)
		}
	}
	if b.max == 0 {
		b.max = max(d.max, b.min)
	}
	if b.initial == 0 {
		b.initial = min(max(d.initial, b.min), b.max)
	}
	return b
}

// clamp is v within the bounds.
func (b bounds) clamp(v float64) float64 {
	return min(max(v, float64(b.min)), float64(b.max))
}

// faults lists what is wrong with the bounds of the limit called name, where 0
// means what d says.
func (b bounds) faults(name string, d bounds) []error {
	in := b.or(d)
	errs := []error{
		outside(name, "Min", b.min, 1, Max, d.min),
		outside(name, "Max", b.max, 1, Max, d.max),
	}
	if in.min > in.max { // no Initial is between them, whoever has given it
		errs = append(errs, fmt.Errorf("limit: %s: Min %d is above Max %d: lower Min or raise Max", name, in.min, in.max))
	} else if b.initial != 0 && (b.initial < in.min || b.initial > in.max) {
		errs = append(errs, fmt.Errorf("limit: %s: Initial %d: give 0, or a limit from Min %d to Max %d", name, b.initial, in.min, in.max))
	}
	return errs
}

// outside is an error unless v is 0, for the default, or from lo to hi. NaN is
// outside.
func outside[T int | float64](name, field string, v, lo, hi, def T) error {
	if v == 0 || v >= lo && v <= hi {
		return nil
	}
	return fmt.Errorf("limit: %s: %s %v: give %v to %v, or 0 for %v", name, field, v, lo, hi, def)
}

// smooth moves old a share of the way to v, in the order of the published
// formula. The conversions keep products from being fused with the sum, which
// some platforms would do and others not.
func smooth(old, v, share float64) float64 {
	return float64(old*(1-share)) + float64(v*share)
}
