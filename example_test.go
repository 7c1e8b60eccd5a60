package plimsoll_test

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/plimsoll-go/plimsoll"
	"github.com/plimsoll-go/plimsoll/class"
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

// Work that is not a function holds a ticket.
func ExampleGate_Acquire() {
	gate, err := plimsoll.New(plimsoll.Config{Limit: limit.NewFixed(8)})
	if err != nil {
		panic(err)
	}
	ticket, err := gate.Acquire(context.Background(), plimsoll.Work{Tenant: "acme", Cost: 3})
	if err != nil {
		return // refused: answer at once, and cheaply
	}
	defer ticket.Release(plimsoll.Success)
	fmt.Println("in flight:", gate.Snapshot().InFlight)
	// Output: in flight: 1
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
