package sim_test

import (
	"fmt"
	"time"

	"github.com/plimsoll-go/plimsoll/sim"
)

// Retries multiply from layer to layer: a request to a shop, which asks a
// warehouse, which asks a database that hangs, each of which is tried three
// times, asks the database 27 times.
func ExampleCall() {
	thrice := sim.Client{Attempts: 3}
	database := sim.Call{Station: 2, Service: sim.Deterministic(time.Millisecond), Client: sim.Client{Patience: time.Second, Attempts: 3}}
	warehouse := sim.Call{Station: 1, Service: sim.Deterministic(time.Millisecond), Client: thrice, Calls: []sim.Call{database}}
	report, err := sim.Run(sim.Scenario{
		Length: time.Minute,
		Sources: []sim.Source{{
			Arrivals: sim.Batch{N: 1},
			Kinds:    []sim.Kind{{Service: sim.Deterministic(time.Millisecond), Client: thrice, Calls: []sim.Call{warehouse}}},
		}},
		Stations: []sim.Station{
			{Name: "shop", Workers: 8},
			{Name: "warehouse", Workers: 8},
			{Name: "database", Workers: 8, Disturbances: []sim.Disturbance{{Effect: sim.Stall(time.Hour)}}},
		},
	}, 1)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("shop: %d requests, %d attempts\n", report.Total.Offered, report.Total.Attempts)
	for _, c := range report.Calls {
		fmt.Printf("%s: %d attempts\n", c.Call, c.Attempts)
	}
	// Output:
	// shop: 1 requests, 3 attempts
	// warehouse: 9 attempts
	// warehouse/database: 27 attempts
}

// Half as much again as a server can do, from callers that wait for a second:
// without a gate all of its work comes too late; with one it is all in time.
func ExampleRun() {
	for _, gate := range []*sim.Gate{nil, {}} {
		report, err := sim.Run(sim.Scenario{
			Length: time.Minute,
			Sources: []sim.Source{{
				Arrivals: sim.Poisson{Rate: 150},
				Kinds:    []sim.Kind{{Service: sim.Deterministic(10 * time.Millisecond), Client: sim.Client{Patience: time.Second}}},
			}},
			Stations: []sim.Station{{Workers: 1, Gate: gate}},
		}, 1)
		if err != nil {
			fmt.Println(err)
			return
		}
		last := report.Sum(30*time.Second, 60*time.Second)
		fmt.Printf("done %d/s, of these in time %d/s\n", last.Done/30, last.Good/30)
	}
	// Output:
	// done 100/s, of these in time 0/s
	// done 100/s, of these in time 100/s
}
