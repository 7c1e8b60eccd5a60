package trace_test

import (
	"fmt"
	"strings"
	"time"

	"github.com/plimsoll-go/plimsoll/sim"
	"github.com/plimsoll-go/plimsoll/sim/trace"
)

// A recorded trace is played against one worker.
func Example() {
	const recorded = `time,class,deadline,service
0,CRITICAL,1s,400ms
0.1,SHEDDABLE,200ms,400ms
0.2,CRITICAL,1s,400ms
`
	records, err := trace.Read(strings.NewReader(recorded))
	if err != nil {
		fmt.Println(err)
		return
	}
	report, err := sim.Run(sim.Scenario{
		Length:   time.Minute,
		Sources:  []sim.Source{{Records: records, Kinds: []sim.Kind{{}}}},
		Stations: []sim.Station{{Workers: 1, Gate: &sim.Gate{Limit: sim.Fixed(1)}}},
	}, 1)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(report.Total.Good, "in time,", report.Total.Lost, "lost")
	// Output: 2 in time, 1 lost
}
