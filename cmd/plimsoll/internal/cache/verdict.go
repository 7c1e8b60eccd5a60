package cache

import "time"

// verdict is what is to be done for a request with what is stored.
type verdict int

const (
	ask        verdict = iota // it may not be used without asking
	use                       // it is fresh enough
	useStale                  // it is stale, and may be used as it is
	useRefresh                // it is stale, may be used, and is to be refreshed meanwhile
)

// judge rules on a stored answer of some age (RFC 9111 4.2, 5.2.1, RFC 5861 3).
//
// The wishes of a request are advisory (5.2.1): while the service has more to
// do than it can, what it has said itself of its answer is all that counts, or a
// key held down in one browser would ask it again and again.
func (t *terms) judge(age time.Duration, r *control, degraded bool) verdict {
	over := age - t.lifetime
	switch {
	case t.validate:
		return ask
	case degraded && over < 0:
		return use
	case degraded && within(over, max(t.whileRevalidating, t.ifError)):
		return useRefresh
	case r.noCache, r.maxAge.given && age > r.maxAge.d:
		return ask
	case over < 0 && (!r.minFresh.given || !r.minFresh.bad && -over >= r.minFresh.d):
		return use
	case r.minFresh.given, over < 0:
		return ask
	case t.asked && r.maxStale.given && !r.maxStale.bad && over <= r.maxStale.d:
		return useStale
	case within(over, t.whileRevalidating):
		return useRefresh
	}
	return ask
}

// afterError reports whether it may be used since asking has failed (RFC 5861
// 4). A request may allow more of it than the answer does, or refuse it.
func (t *terms) afterError(age time.Duration, r *control) bool {
	if t.validate || r.noCache {
		return false
	}
	allowed := t.ifError
	if t.asked && r.staleIfError.given {
		allowed = max(allowed, r.staleIfError.d)
	}
	return age < t.lifetime || within(age-t.lifetime, allowed)
}

// within reports whether what is so long over its time is still allowed. Zero
// allows nothing.
func within(over, allowed time.Duration) bool { return allowed > 0 && over <= allowed }
