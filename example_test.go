package plimsoll_test

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/plimsoll-go/plimsoll"
	"github.com/plimsoll-go/plimsoll/class"
	"github.com/plimsoll-go/plimsoll/ladder"
	"github.com/plimsoll-go/plimsoll/limit"
)

// A gate without configuration finds its limit. What runs inside Do inherits
// criticality and deadline by its context.
func ExampleGate_Do() {
	gate, err := plimsoll.New(plimsoll.Config{})
	if err != nil {
		panic(err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	err = gate.Do(ctx, plimsoll.Work{Criticality: class.CriticalPlus}, func(ctx context.Context) error {
		fmt.Println("paid")
		return nil
	})
	fmt.Println(err)
	// Output:
	// paid
	// <nil>
}

// Work that is not a function holds a ticket, and says how it ended.
func ExampleGate_Acquire() {
	gate, err := plimsoll.New(plimsoll.Config{Limit: limit.NewFixed(8)})
	if err != nil {
		panic(err)
	}
	ticket, err := gate.Acquire(context.Background(), plimsoll.Work{Tenant: "acme", Cost: 3})
	if err != nil {
		return // refused: answer at once, and cheaply
	}
	outcome := plimsoll.Failed // also where it panics
	defer func() { ticket.Release(outcome) }()
	fmt.Println("in flight:", gate.Snapshot().InFlight)
	outcome = plimsoll.Success
	// Output: in flight: 1
}

// Metrics are counters of a snapshot, by criticality.
func ExampleGate_Snapshot() {
	gate, err := plimsoll.New(plimsoll.Config{Limit: limit.NewFixed(1), MaxQueue: -1})
	if err != nil {
		panic(err)
	}
	_ = gate.Do(context.Background(), plimsoll.Work{}, func(ctx context.Context) error {
		return gate.Do(ctx, plimsoll.Work{Criticality: class.Sheddable}, func(context.Context) error { return nil }) // refused: the slot is taken
	})
	s := gate.Snapshot()
	for _, c := range class.All() {
		of := &s.Classes[c.Lane()]
		if of.Arrived == 0 {
			continue
		}
		fmt.Println(c, "arrived", of.Arrived, "admitted", of.Admitted, "goodput", of.Goodput)
		for reason, n := range of.Refused {
			if n > 0 {
				fmt.Println(c, "refused", n, plimsoll.Reason(reason))
			}
		}
	}
	// Output:
	// CRITICAL arrived 1 admitted 1 goodput 0
	// SHEDDABLE arrived 1 admitted 0 goodput 0
	// SHEDDABLE refused 1 busy
}

// Tiers are what goes before anybody is refused: the cheapest loss first. They go
// on and off with the queue's delay; here a person has switched one on.
func ExampleConfig_ladder() {
	gate, err := plimsoll.New(plimsoll.Config{Ladder: &ladder.Config{
		Tiers: []ladder.Tier{
			{Name: "recommendations", On: 200 * time.Millisecond},
			{Name: "reviews", On: 300 * time.Millisecond},
		},
		NoExercise: true, // else one request in a hundred tries out a cheaper answer
	}})
	if err != nil {
		panic(err)
	}
	if err := gate.Override("recommendations", ladder.On); err != nil {
		panic(err)
	}
	_ = gate.Do(context.Background(), plimsoll.Work{}, func(ctx context.Context) error {
		if !ladder.Active(ctx, "reviews") {
			fmt.Println("with reviews")
		}
		return ladder.Do(ctx, "recommendations",
			func(context.Context) error { fmt.Println("recommendations for you"); return nil },
			func(context.Context) error { fmt.Println("what everybody buys"); return nil })
	})
	// Output:
	// with reviews
	// what everybody buys
}

// A refusal says why, and when coming back has a chance.
func ExampleRefusal() {
	gate, err := plimsoll.New(plimsoll.Config{Name: "search", Limit: limit.NewFixed(1), MaxWait: -1})
	if err != nil {
		panic(err)
	}
	holder, _ := gate.Acquire(context.Background(), plimsoll.Work{})
	defer holder.Release(plimsoll.Success)

	_, err = gate.Acquire(context.Background(), plimsoll.Work{Criticality: class.Sheddable})
	var refusal *plimsoll.Refusal
	if errors.As(err, &refusal) {
		fmt.Println(refusal.Gate, refusal.Criticality, refusal.Reason, refusal.RetryAfter > 0)
	}
	// Output: search SHEDDABLE busy true
}

// A service that ends drains: what is inside is served, what is new refused.
func ExampleGate_Close() {
	gate, err := plimsoll.New(plimsoll.Config{})
	if err != nil {
		panic(err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	fmt.Println(gate.Close(ctx))
	_, err = gate.Acquire(ctx, plimsoll.Work{})
	fmt.Println(errors.Is(err, plimsoll.ErrRefused))
	// Output:
	// <nil>
	// true
}
