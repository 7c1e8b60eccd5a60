// Package retry decides whether a failed attempt is made again, and when; and
// whether one that takes long gets another beside it.
//
//   - [Policy] is the decision: how many attempts, with what backoff, and whether
//     another one can still begin in time. Its [Reason] says why there is none.
//   - [Budget] bounds the retries of all callers of a destination by a share of
//     their requests, and [Waiting] by a share of those that are in flight.
//   - [Backoff] is the wait between two attempts: exponential, with jitter.
//   - [Hedge] is when a read that takes long gets another attempt beside it.
//   - [After] reads Retry-After, and [Pushback] grpc-retry-pushback-ms.
//   - [MessageTooLong] tells RESOURCE_EXHAUSTED for a long message from a quota.
//   - [Idempotent] says which HTTP methods may be repeated.
//
// It is pure: time is a [time.Duration] since an epoch of the caller's, always
// the first argument, and one that runs backwards counts as no time passed; the
// random source is passed in. Nothing in it is safe for concurrent use but what
// is a value, and no decision allocates.
package retry
