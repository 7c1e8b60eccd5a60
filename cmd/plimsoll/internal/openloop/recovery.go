package openloop

import "time"

// What recovered means, and how finely the time to it is found.
const (
	recoveredShare  = 0.95
	recoveryWindow  = time.Second
	recoveryQuantum = 50 * time.Millisecond
)

// Due is how many logical requests were due within one quantum of time, and how
// many of them were good.
type Due struct{ Offered, Good uint32 }

// Back is from which quantum on goodput is back for good: the first after which
// at least recoveredShare of the logical requests due within any window, so many
// quanta of a whole second, were good. False: there is none.
func Back(quanta []Due, window int) (first int, ok bool) {
	var in Due // the window that begins at i
	for i := len(quanta) - 1; i >= 0; i-- {
		in.Offered += quanta[i].Offered
		in.Good += quanta[i].Good
		switch beyond := i + window; {
		case beyond > len(quanta):
			continue // not a whole window yet
		case beyond < len(quanta):
			in.Offered -= quanta[beyond].Offered
			in.Good -= quanta[beyond].Good
		}
		if float64(in.Good) < recoveredShare*float64(in.Offered) {
			break
		}
		first, ok = i, true
	}
	return first, ok
}

// Recovery is the time from the end of an overload until goodput is back for
// good, which is what Back says. False: not within the run. Records[i] is of the
// request due at times[i].
func Recovery(times []time.Duration, records []Record, overloadEnd, runEnd time.Duration) (time.Duration, bool) {
	quanta := make([]Due, max(0, (runEnd-overloadEnd)/recoveryQuantum))
	for i, at := range times {
		q := int((at - overloadEnd) / recoveryQuantum)
		if at < overloadEnd || q >= len(quanta) {
			continue
		}
		quanta[q].Offered++
		if records[i].Outcome == Good {
			quanta[q].Good++
		}
	}
	back, ok := Back(quanta, int(recoveryWindow/recoveryQuantum))
	return time.Duration(back) * recoveryQuantum, ok
}
