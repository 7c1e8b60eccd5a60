// Package plimsoll keeps a service's goodput, the answers that reach a caller
// who is still waiting, at capacity, whatever arrives.
//
// A [Gate] stands in front of the expensive work. It finds how much may run
// at once, lets a bounded number wait, orders them by criticality, tenant and
// deadline, and refuses the rest at once, cheaply, lowest criticality first:
//
//	gate, err := plimsoll.New(plimsoll.Config{})
//	http.ListenAndServe(":8080", httpgate.Handler(gate, app))
//
// [Gate.Do] wraps a function; [Gate.Acquire] and [Ticket.Release] are for
// callers that cannot be written as one. Criticality and deadline come from
// the context, where packages httpgate and grpcgate put them, or wire.With of
// class/wire, unless [Work] gives them. A [Refusal] says why and when to come
// back. What metrics are made of is in a [Snapshot].
//
// The rules live in a pure machine that knows neither clocks nor goroutines;
// this package is the shell that reads the clock, holds the lock and wakes
// who was waiting. A Gate's methods may be used concurrently.
//
// Not for: limiting how much one client may send whatever the load (a rate
// limit), or sharing a limit between processes; a gate is local.
package plimsoll
