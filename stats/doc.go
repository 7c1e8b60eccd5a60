// Package stats keeps the few statistics that an admission decision rests on:
// a log-linear latency histogram, rates and means that forget by half-life,
// the peak of a sliding interval, and whole counts of a sliding window.
//
// It is pure: time is a [time.Duration] since an epoch that the caller
// chooses, always the first argument, and a time that runs backwards counts as
// no time passed. Nothing in it is safe for concurrent use, nothing allocates
// after its value exists, and every zero value is ready.
package stats
