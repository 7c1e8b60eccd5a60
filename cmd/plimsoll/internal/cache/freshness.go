package cache

import (
	"net/http"
	"time"
)

// terms are what an answer allows a shared cache to do with it over time.
type terms struct {
	lifetime time.Duration // fresh until this age (RFC 9111 4.2.1)
	explicit bool          // the answer itself says so

	validate bool // no use without asking (no-cache, 5.2.2.4)

	// whileRevalidating and ifError are how long beyond its lifetime it may be
	// used while it is asked for again, and while that fails (RFC 5861).
	whileRevalidating, ifError time.Duration

	// asked is whether a caller may have it stale who says max-stale.
	asked bool

	authorized bool // it may be used for requests with Authorization (3.5)
}

// grant is what the operator allows where an answer does not say.
type grant struct{ whileRevalidating, ifError time.Duration }

// termsOf reads them off the header of an answer.
//
// must-revalidate, proxy-revalidate and no-cache forbid every use of a stale
// answer, whatever else is said (4.2.4). s-maxage forbids it too (5.2.2.10), but
// an answer that says in the same breath how long it may be stale changes
// that, as an extension may (5.2.3).
func termsOf(h http.Header, c *control, g grant) terms {
	t := terms{validate: c.noCache, authorized: c.public || c.mustRevalidate || c.sMaxAge.given}
	t.lifetime, t.explicit = lifetime(h, c)
	if c.mustRevalidate || c.proxyRevalidate || c.noCache {
		return t
	}
	t.asked = !c.sMaxAge.given
	if c.sMaxAge.given {
		g = grant{}
	}
	t.whileRevalidating = window(c.staleWhileRevalidate, g.whileRevalidating)
	t.ifError = window(c.staleIfError, g.ifError)
	return t
}

func window(said seconds, granted time.Duration) time.Duration {
	if said.given {
		return said.d
	}
	return granted
}

// lifetime is how old an answer may become before it is stale: by s-maxage,
// else max-age, else Expires; false: it does not say. What is no number, no date
// or said in two ways is stale from the start.
func lifetime(h http.Header, c *control) (time.Duration, bool) {
	switch expires := h["Expires"]; {
	case c.sMaxAge.given:
		return c.sMaxAge.d, true
	case c.maxAge.given:
		return c.maxAge.d, true
	case len(expires) == 0:
		return 0, false
	default:
		at, ok := parseDate(expires)
		date, dated := parseDate(h["Date"])
		if !ok || !dated {
			return 0, true
		}
		return min(max(0, at.Sub(date)), forever), true
	}
}
