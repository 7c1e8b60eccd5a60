package breaker_test

import (
	"fmt"
	"time"

	"github.com/plimsoll-go/plimsoll/breaker"
)

// Two failures in a row open it; a second later one probe may pass, whose
// success closes it.
func Example() {
	b := breaker.New(breaker.Config{Failures: 2, Open: time.Second})
	attempt := func(now time.Duration, v breaker.Verdict) {
		ticket, wait, ok := b.Pass(now)
		if !ok {
			fmt.Println("held, ask again in", wait)
			return
		}
		b.Done(now, ticket, v)
		fmt.Println(b.Status(now).State)
	}
	attempt(0, breaker.Failure)
	attempt(100*time.Millisecond, breaker.Failure)
	attempt(200*time.Millisecond, breaker.Success)
	attempt(1200*time.Millisecond, breaker.Success)
	// Output:
	// closed
	// open
	// held, ask again in 900ms
	// closed
}
