// Package sim runs the machine that serves live traffic in virtual time:
// minutes of overload in milliseconds, the same on every platform.
//
// A [Scenario] says what arrives ([Source], [Arrivals], [Kind]), how callers
// behave ([Client]) and what serves them ([Station], [Service], [Gate],
// [Effect]). What arrives is a stream, a recorded trace ([Record], package
// sim/trace) or a closed loop of users; callers retry, within a [Budget], and
// hold back what would be in vain ([Throttle], [Breaker]), by the packages that
// live callers use. [Run] plays it with a seed and returns a [Report]: what was
// offered, answered in time, answered too late, refused and why, and how all
// of that went over time.
//
// Stations make a network: serving a request may ask others of further ones
// ([Call]), which inherit its deadline and its criticality, fan out, fail and
// are tried again. A station is also a process, which is killed when it is out
// of [Memory] or by a [Restart], and to which its clients come back
// ([Reconnect]).
//
// It is deterministic: a scenario and a seed have one report, whose
// [Report.Fingerprint] is the same everywhere. There is no clock and no
// goroutine, times are whole nanoseconds, and what is drawn at random rests on
// arithmetic that no platform rounds differently. Every source and kind draws
// from a stream of its own, what a request needs is drawn when it arrives, and
// what its calls need depends on the request and their place in its tree: two
// policies under one seed meet the same requests, so that their difference
// is theirs alone (common random numbers).
//
// Little's law is checked in every run. Memory grows with what is in flight,
// with the tenants and with the buckets of what is reported over time, not with
// the requests that have passed: a day by the second takes 10 MB for each kind.
//
// It is pure, and a Scenario is only read: one may be run by several
// goroutines at once.
package sim
