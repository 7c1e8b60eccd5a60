// Package breaker decides whether attempts are sent to a destination that
// fails.
//
//   - [Breaker] decides for one destination: closed, open, half-open.
//   - [Classes] is one for each criticality of a destination.
//   - [Verdict] is what an attempt says of the destination's health, which is not
//     what it is to its caller: a refusal and a caller who has left say nothing.
//
// Every attempt that passes gets a [Ticket] and ends exactly once, with
// [Breaker.Done]: also when it panicked, was cancelled, or was never sent. One
// that never ends costs its place for as long as the breaker is open, no longer.
//
// It is pure: time is a [time.Duration] since an epoch of the caller's, always
// the first argument, and one that runs backwards counts as no time passed.
// Nothing in it is safe for concurrent use, and nothing allocates after it was
// made. It bounds no number of attempts in flight while it is closed: a limiter
// stands in front of it, so that a hang fills no memory before it opens.
package breaker
