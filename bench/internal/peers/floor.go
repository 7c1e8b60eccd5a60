package peers

import (
	"sync/atomic"
	"time"
)

// floor is the least that a limiter can do that measures latency: a slot taken
// from one word and given back, and the clock read at both ends. It stands in
// both groups as the unit in which to read a noisy machine's nanoseconds.
func floor() (func(int) int, func(), error) {
	const limit = 1 << 20
	var word atomic.Uint64
	epoch := time.Now()
	loop := func(n int) int {
		did := 0
		for range n {
			start := time.Since(epoch)
			v := word.Load()
			for v >= limit || !word.CompareAndSwap(v, v+1) {
				v = word.Load()
			}
			held := time.Since(epoch) - start
			v = word.Load()
			for !word.CompareAndSwap(v, v-1) {
				v = word.Load()
			}
			if held >= 0 {
				did++
			}
		}
		return did
	}
	return loop, func() {}, nil
}
