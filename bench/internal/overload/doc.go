// Package overload puts limiters in front of a backend on real goroutines, and
// offers it more than it can serve: what reaches a caller who is still there?
//
// There are two backends. One has eight slots of 20 ms, an unbounded queue, and
// does not notice that a caller has left; waiting for it costs nothing, so all
// limiters are played beside each other in the same seconds, each in front of a
// backend of its own, with one more that a closed loop keeps busy: that one's
// answers are the capacity, second by second. The other spins on the processor
// of its caller for 2 ms; there the limiters are played one after another, each
// in a process of its own, with a closed loop before and after it that measures
// what a second of processor time is good for.
//
// Callers are an open loop: Poisson arrivals at a multiple of the capacity, the
// same for every limiter, that slow answers never slow down. A caller leaves at
// its deadline, which is counted from when it was due, not from when the
// generator got to it.
package overload
