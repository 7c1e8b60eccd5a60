package peers

import (
	"context"

	"github.com/failsafe-go/failsafe-go"
	"github.com/failsafe-go/failsafe-go/bulkhead"
	"github.com/failsafe-go/failsafe-go/circuitbreaker"
	"github.com/failsafe-go/failsafe-go/retrypolicy"
	"github.com/sony/gobreaker/v2"

	"github.com/plimsoll-go/plimsoll/breaker"
	"github.com/plimsoll-go/plimsoll/client"
	"github.com/plimsoll-go/plimsoll/retry"
	"github.com/plimsoll-go/plimsoll/throttle"
)

// Calls returns what callers put round a call, which here does nothing and
// succeeds: retries, a breaker and a bulkhead.
func Calls() []Case {
	return []Case{
		{Client, func() (func(int) int, func(), error) {
			return callClient(client.Config{Breaker: &breaker.Config{}, MaxInFlight: slots})
		}},
		{"plimsoll client, and throttle", func() (func(int) int, func(), error) {
			return callClient(client.Config{Breaker: &breaker.Config{}, Throttle: &throttle.Config{}, MaxInFlight: slots})
		}},
		{"plimsoll client, one attempt, breaker only", func() (func(int) int, func(), error) {
			return callClient(client.Config{Breaker: &breaker.Config{}, Retry: retry.Policy{Attempts: 1}})
		}},
		{"plimsoll client, retries only", func() (func(int) int, func(), error) { return callClient(client.Config{}) }},
		{Executor, func() (func(int) int, func(), error) {
			return callExecutor(retrypolicy.NewWithDefaults[any](), circuitbreaker.NewWithDefaults[any](), bulkhead.New[any](slots))
		}},
		{"failsafe-go, retries only", func() (func(int) int, func(), error) { return callExecutor(retrypolicy.NewWithDefaults[any]()) }},
		{"failsafe-go, breaker only", func() (func(int) int, func(), error) { return callExecutor(circuitbreaker.NewWithDefaults[any]()) }},
		{"gobreaker, breaker only", callGobreaker},
		{Floor, floor},
	}
}

func callClient(config client.Config) (func(int) int, func(), error) {
	c, err := client.New(config)
	if err != nil {
		return nil, nil, err
	}
	ctx := context.Background()
	call := func(context.Context) error { return nil }
	loop := func(n int) int {
		did := 0
		for range n {
			if c.Do(ctx, client.Op{Repeatable: true}, call) == nil {
				did++
			}
		}
		return did
	}
	return loop, func() {}, nil
}

func callExecutor(policies ...failsafe.Policy[any]) (func(int) int, func(), error) {
	e := failsafe.With(policies...).WithContext(context.Background())
	call := func() error { return nil }
	loop := func(n int) int {
		did := 0
		for range n {
			if e.Run(call) == nil {
				did++
			}
		}
		return did
	}
	return loop, func() {}, nil
}

func callGobreaker() (func(int) int, func(), error) {
	b := gobreaker.NewCircuitBreaker[struct{}](gobreaker.Settings{})
	call := func() (struct{}, error) { return struct{}{}, nil }
	loop := func(n int) int {
		did := 0
		for range n {
			if _, err := b.Execute(call); err == nil {
				did++
			}
		}
		return did
	}
	return loop, func() {}, nil
}
