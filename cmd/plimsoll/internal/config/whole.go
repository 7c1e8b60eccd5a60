package config

import (
	"strings"

	"github.com/plimsoll-go/plimsoll/cmd/plimsoll/internal/strict"
)

// whole checks what no value shows alone. What was not given counts at its
// default; keys that are at fault by themselves are left out.
func (r *reader) whole(file string, c Config) {
	if _, ok := r.given["upstream"]; !ok {
		at := strict.Value{File: file, Key: "upstream"}
		if file == "" {
			at.Key = "--upstream"
		}
		r.Want(at, "the service to protect, such as http://127.0.0.1:8081")
	}
	if c.MinLimit > c.MaxLimit && r.fine("minLimit", "maxLimit") {
		r.Want(r.giver("minLimit", "maxLimit"), "minLimit at most maxLimit, have %d and %d", c.MinLimit, c.MaxLimit)
	}
	for _, key := range []string{"minLimit", "maxLimit"} {
		if v, ok := r.given[key]; ok && c.Limit != 0 {
			r.Want(v, "limit: auto with it; the limit is fixed at %d", c.Limit)
		}
	}
	if c.Timeout > c.MaxTimeout && r.fine("timeout", "maxTimeout") {
		r.Want(r.giver("timeout", "maxTimeout"), "timeout at most maxTimeout, have %s and %s", c.Timeout, c.MaxTimeout)
	}
	if v, ok := r.given["trustedNetworks"]; ok && c.Trusted {
		r.Want(v, "either trustedNetworks or trusted: true")
	}
	if c.Listen == c.Admin && !strings.HasSuffix(c.Listen, ":0") && r.fine("listen", "admin") {
		r.Want(r.giver("admin", "listen"), "another address than that of listen, %s", c.Listen)
	}
}

// fine reports whether none of the keys is at fault by itself.
func (r *reader) fine(keys ...string) bool {
	for _, key := range keys {
		if r.bad[key] {
			return false
		}
	}
	return true
}

// giver returns the first of two keys that was given: where to say that the
// two do not fit.
func (r *reader) giver(key, other string) strict.Value {
	if v, ok := r.given[key]; ok {
		return v
	}
	return r.given[other]
}
