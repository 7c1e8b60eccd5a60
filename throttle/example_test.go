package throttle_test

import (
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/plimsoll-go/plimsoll/throttle"
)

// A destination that accepts nothing is soon sent one attempt a second.
func Example() {
	t, random := throttle.New(throttle.Config{}), rand.New(rand.NewPCG(1, 2))
	for minute := range 2 {
		sent := 0
		for i := range 60_000 {
			now := time.Duration(minute)*time.Minute + time.Duration(i)*time.Millisecond
			if _, ok := t.Pass(now, random); ok {
				t.Refused(now)
				sent++
			}
		}
		fmt.Println(sent > 55, sent < 80)
	}
	// Output:
	// true true
	// true true
}
