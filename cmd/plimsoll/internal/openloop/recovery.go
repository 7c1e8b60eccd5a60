package openloop

import (
	"sort"
	"time"
)

// What recovered means, and how finely the time to it is found.
const (
	recoveredShare  = 0.95
	recoveryWindow  = time.Second
	recoveryQuantum = 50 * time.Millisecond
)

// Recovery is the time from the end of an overload until goodput is back for
// good: the least time after which, until the end of the run, at least
// recoveredShare of the logical requests due within any window were good.
// False: not within the run. Records[i] is of the request due at times[i].
func Recovery(times []time.Duration, records []Record, overloadEnd, runEnd time.Duration) (time.Duration, bool) {
	back, found := time.Duration(0), false
	for u := runEnd - recoveryWindow; u >= overloadEnd; u -= recoveryQuantum {
		offered, ok := 0, 0
		for i := firstAt(times, u); i < len(times) && times[i] < u+recoveryWindow; i++ {
			offered++
			if records[i].Outcome == Good {
				ok++
			}
		}
		if float64(ok) < recoveredShare*float64(offered) {
			break
		}
		back, found = u-overloadEnd, true
	}
	return back, found
}

func firstAt(times []time.Duration, at time.Duration) int {
	return sort.Search(len(times), func(i int) bool { return times[i] >= at })
}
