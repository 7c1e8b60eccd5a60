// Package class says how important a piece of work is and how long its caller
// still waits: the values that every decision about admission is made of.
//
//   - [Criticality] is one of four classes. The lowest is refused first.
//   - [Level] ranks callers inside a class, so that a class is shed bit by bit
//     and the same callers lose while it lasts.
//   - [Rank] is both in one number: what is compared.
//   - [Left], [At] and [Clamp] are the arithmetic of remaining time. A deadline
//     travels as what is left of it, never as a point in time, because two
//     clocks never agree.
//
// Everything here is a value: nothing locks, allocates on a hot path, reads a
// clock or draws a random number. All of it may be used concurrently. How the
// values travel, in a context or a header, is the matter of class/wire.
package class
