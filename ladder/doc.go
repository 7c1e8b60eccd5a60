// Package ladder decides who gets a cheaper answer, before anybody is refused.
//
// A service lists its tiers: what it can leave out or answer more cheaply, the
// cheapest loss first. A [Ladder] climbs them one at a time while the delay of
// its gate's queue is above their thresholds, and comes down after a quiet time.
// A person may switch any of them on or off. All the time a small share of
// requests takes a cheaper answer although nothing is wrong, so that it works on
// the day it is needed. A [Plan] is what is in force, and what one request gets
// is a [Decision].
//
// A handler asks [Active], or has [Do] run the full way or the cheaper one and
// measure both; a [Book] holds what was measured. That part reads a clock and
// takes locks, and lies in context.go, do.go and book.go. The rest is pure: no
// clock, no lock, no goroutine; time is a [time.Duration] since an epoch of the
// caller's choice and the first argument, and one that runs backwards counts as
// no time passed.
package ladder
