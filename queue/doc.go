// Package queue holds the work that waits for a slot: bounded, in four lanes
// by criticality, fair between tenants inside a lane, in one order inside a
// tenant.
//
// [Queue.Push] takes an arrival or refuses it, and may take a place from a
// waiter of a lower rank; [Queue.Pop] says whom to serve next; [Queue.Remove]
// is for callers that leave; [Queue.Expired] for those whose time is up. What
// waits is an [Item], embedded in the caller's own struct, so that nothing is
// allocated per waiter.
//
// What holds always:
//
//   - Nobody is refused or evicted while somebody of a lower criticality
//     waits; inside a criticality, nobody while somebody of a lower level does.
//     The dead, who are later than [Item.Leave], are nobody. Places that
//     [Config.Shares] keeps for a criticality are no others', and whoever holds
//     more bytes than the [MaxYield] waiters below it together may be refused.
//   - Waiters of one criticality and tenant are served in arrival order, or
//     newest first exactly where the order says so; equal deadlines and costs
//     keep arrival order. A level does not count here, and nothing is re-filed
//     but by [Config.PromoteAfter].
//   - A refusal costs a few nanoseconds. Push, Pop and Remove take constant
//     time for work without tenant and without a time to leave, and O(log n)
//     otherwise; a lane with tenants adds a look at each of its flows, at most
//     129. Nothing is allocated once the queue has been as long as it gets.
//
// Time is a [time.Duration] since an epoch of the caller's choice. A time that
// runs backwards counts as no time passed. A Queue knows neither clocks nor
// locks: it is not safe for concurrent use.
//
// A policy of its own that is added later belongs in three places: whom a full
// queue gives up in evict.go, whom it serves next in order.go and flow.go, and
// who leaves unasked in expiry.go. Those that are there each have a file:
// codel.go, standing.go, cost.go, reserve.go, bytes.go, promote.go.
package queue
