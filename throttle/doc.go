// Package throttle keeps a caller from sending what its destination would
// refuse in any case: the more of what it sent lately was refused, the less it
// sends.
//
//   - [Throttle] decides for one destination.
//   - [Rate] bounds what is sent, whatever comes of it.
//   - [Classes] is one for each criticality, so that what is refused of low work
//     holds back no work that matters more.
//
// It is pure: time is a [time.Duration] since an epoch of the caller's, always
// the first argument, and one that runs backwards counts as no time passed; the
// random source is passed in. Nothing in it is safe for concurrent use, and
// nothing allocates after it was made.
package throttle
