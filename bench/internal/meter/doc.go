// Package meter measures what a loop costs: processor time of this process,
// time on the wall, allocations. [Run] takes one [Sample].
//
// Processor time is what ratios are made of. It leaves out what other programs
// on the machine take, and it includes what a contender leaves to others to
// do: garbage collection, timers, the kernel.
//
// Limitations: a processor's caches and clock are still shared with other
// programs, so that single samples scatter; take medians of interleaved ones.
// Processor time comes from getrusage, which Unix systems have.
package meter
