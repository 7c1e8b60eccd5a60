package httpgate

import (
	"math/rand/v2"
	"strconv"
	"time"
)

// backoff has the values of Retry-After and its like, prepared.
type backoff struct {
	longest time.Duration

	whole [][]string // whole[i] is i+1 seconds
	fine  [][]string // fine[i] is fineAt(i), in milliseconds
}

func prepareBackoff(longest time.Duration) backoff {
	b := backoff{longest: longest}
	for i := range ceil(longest, time.Second) {
		b.whole = append(b.whole, []string{strconv.Itoa(i + 1)})
	}
	for i := range fineIndex(longest) + 1 {
		b.fine = append(b.fine, []string{strconv.FormatInt(fineAt(i).Milliseconds(), 10)})
	}
	return b
}

// seconds returns d in whole seconds, at least 1, rounded up and, as often as
// not, up by one more: d is jittered, but rounding would send all that were
// refused within a second back at the same moment.
func (b *backoff) seconds(d time.Duration) []string {
	i := max(ceil(b.bounded(d), time.Second), 1) - 1 + int(rand.Uint32()&1)
	return b.whole[min(i, len(b.whole)-1)]
}

// millis returns d in milliseconds, rounded up by at most a tenth or 10 ms.
func (b *backoff) millis(d time.Duration) []string {
	return b.fine[fineIndex(b.bounded(d))]
}

// bounded halves what is longer than the longest until it is not: cut off, it
// would send all that were refused back at the same moment.
func (b *backoff) bounded(d time.Duration) time.Duration {
	for d > b.longest {
		d /= 2
	}
	return d
}

// The fine steps: 10 ms up to a second, 100 ms up to ten, then seconds.
const (
	fineTo    = time.Second / (10 * time.Millisecond)
	coarserTo = fineTo + 9*time.Second/(100*time.Millisecond)
)

func fineAt(i int) time.Duration {
	switch n := time.Duration(i) + 1; {
	case n <= fineTo:
		return n * 10 * time.Millisecond
	case n <= coarserTo:
		return time.Second + (n-fineTo)*100*time.Millisecond
	default:
		return 10*time.Second + (n-coarserTo)*time.Second
	}
}

// fineIndex returns the first i whose fineAt is no less than d.
func fineIndex(d time.Duration) int {
	switch {
	case d <= time.Second:
		return max(ceil(d, 10*time.Millisecond), 1) - 1
	case d <= 10*time.Second:
		return int(fineTo) + ceil(d-time.Second, 100*time.Millisecond) - 1
	default:
		return int(coarserTo) + ceil(d-10*time.Second, time.Second) - 1
	}
}

// ceil returns how many units cover d.
func ceil(d, unit time.Duration) int {
	n := int(d / unit)
	if d%unit > 0 {
		n++
	}
	return n
}
