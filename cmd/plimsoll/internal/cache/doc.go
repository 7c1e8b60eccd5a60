// Package cache is an HTTP cache that many callers share (RFC 9111), embedded
// in a proxy, so that an answer that is there already costs no slot: a fresh
// one, or a stale one while the service behind is busy or broken (RFC 5861).
//
// [New] makes a [Cache] with its bounds, [Cache.Handler] puts it before what
// carries the requests of one route, by a [Policy]. It stands outside the gate:
//
//	caller -> cache -> gate -> service
//
// What is asked for and not there is fetched once for all who ask at the time.
// The fetch, a flight, is nobody's own: it has its own deadline, and callers
// come and go without ending it, unless the last one goes. Every answer says
// in Cache-Status (RFC 9211) what became of it here.
//
// What it promises:
//
//   - only what may be shared is shared, by the letter of RFC 9111, and nothing
//     that sets a cookie or says nothing of how long it is good: there are no
//     heuristics (4.2.2). That holds for callers who wait together, too
//   - errors are not stored; 403, 404 and 410 pass, and what was stored goes
//   - what is stored, and what is on its way in, is bounded in bytes, answers
//     and variants, whatever callers and the service say
//   - nothing runs on behind it but flights, each with an end ([Cache.Close])
//
// The arithmetic is in files of its own that read no clock: control.go,
// age.go, freshness.go, storable.go, vary.go, verdict.go. It is written here because
// github.com/pquerna/cachecontrol, which parses these headers, takes no account
// of Age, and fails where RFC 9111 wants an answer taken as stale. Eviction
// is SIEVE (Zhang et al., NSDI 2024) in the store itself: cache libraries such as
// otter exceed their bounds for moments and do not know that variants of one
// key go together. x/sync/singleflight does not know who still waits.
//
// It does not store parts (206), answers with trailers, or answers to requests
// with a body, and combines no ranges.
package cache
