package schedule

import (
	"fmt"
	"math"
	"time"
)

// onOff is a high rate and a low one in turn. It begins with the high one.
type onOff struct {
	cycle   *pieces // the two of them
	on, off time.Duration
}

func newOnOff(low, high float64, on, off time.Duration) onOff {
	return onOff{cycle: newPieces([]piece{{high, high, on}, {low, low, off}}), on: on, off: off}
}

func (o onOff) rate(t time.Duration) float64 { return o.cycle.rate(t % (o.on + o.off)) }

func (o onOff) total(t time.Duration) float64 {
	period := o.on + o.off
	return float64(t/period)*o.cycle.sums[2] + o.cycle.total(t%period)
}

func (o onOff) when(n float64) time.Duration {
	each := o.cycle.sums[2]
	whole := math.Floor((n + slack(n)) / each)
	begin := whole * float64(o.on+o.off)
	if begin > float64(MaxLength) {
		return MaxLength
	}
	return time.Duration(begin) + o.cycle.when(max(n-whole*each, 0))
}

// peak is the end of the last time that it was on, if it is off at the end of
// the run.
func (o onOff) peak(length time.Duration) (time.Duration, bool) {
	period := o.on + o.off
	end := (length-1)/period*period + o.on
	high, low := o.cycle.all[0].from, o.cycle.all[1].from
	return end, end < length && fallen(high, low)
}

func (o onOff) words(length time.Duration) string {
	high, low := o.cycle.all[0], o.cycle.all[1]
	return fmt.Sprintf("%s for %v and %s for %v in turn, for %v", perSecond(high.from), o.on, perSecond(low.from), o.off, length)
}
