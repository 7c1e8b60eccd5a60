package schedule_test

import (
	"fmt"
	"time"

	"github.com/plimsoll-go/plimsoll/cmd/plimsoll/internal/schedule"
)

// A spike on a steady load, and what is due in each second.
func ExampleParse() {
	s, err := schedule.Parse("spike 20/s..80/s from 2s for 1s", "constant", 5*time.Second)
	if err != nil {
		fmt.Println(err)
		return
	}
	var seconds [5]int
	for a := range s.Times(1) {
		seconds[a.Due/time.Second]++
	}
	fmt.Println(s)
	fmt.Println(seconds)
	fmt.Println(s.LastPeak())
	// Output:
	// 20/s for 2s, then 80/s for 1s, then 20/s for 2s, evenly spaced arrivals
	// [20 20 80 20 20]
	// 3s true
}

// All that is wrong is told at once.
func ExampleParse_faults() {
	_, err := schedule.Parse("ramp 100..2000/s over 30", "even", 0)
	fmt.Println(err)
	// Output:
	// arrivals: want poisson, or constant for evenly spaced requests, have "even"
	// rate: over: want a time with a unit, such as 10s or 500ms, have "30"
}
