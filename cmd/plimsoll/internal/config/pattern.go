package config

import (
	"path"
	"strings"
)

// Pattern matches the path of a request. It is an absolute path in which a
// segment that is only "*" matches any one segment, and a "*" at the very end
// matches the rest, whatever it is:
//
//	/checkout        that path and no other
//	/api/*           everything below /api/
//	/static*         everything that begins with /static
//	/users/*/orders  the orders of every user
//
// An empty Pattern matches every path.
type Pattern string

// valid reports whether p is a pattern.
func (p Pattern) valid() bool {
	rest, ok := strings.CutPrefix(string(p), "/")
	if !ok {
		return false
	}
	rest = strings.TrimSuffix(rest, "*")
	if strings.HasSuffix(rest, "*") {
		return false
	}
	for segment := range strings.SplitSeq(rest, "/") {
		if segment != "*" && strings.Contains(segment, "*") {
			return false
		}
	}
	return true
}

// Match reports whether p matches a path.
func (p Pattern) Match(name string) bool {
	if p == "" {
		return true
	}
	pattern, prefix := strings.CutSuffix(string(p), "*")
	for {
		want, restWant, moreWant := strings.Cut(pattern, "/")
		have, restHave, moreHave := strings.Cut(name, "/")
		if !moreWant {
			if prefix {
				return strings.HasPrefix(name, want)
			}
			return !moreHave && want == have
		}
		if !moreHave || want != have && (want != "*" || have == "") {
			return false
		}
		pattern, name = restWant, restHave
	}
}

// Clean returns the path that a request is classified by: without "." and
// "..", and without doubled slashes, as most services read it. Otherwise
// "/cheap/../expensive" would be taken for cheap.
func Clean(name string) string {
	if IsClean(name) {
		return name
	}
	c := path.Clean("/" + name)
	if strings.HasSuffix(name, "/") && c != "/" {
		c += "/"
	}
	return c
}

// IsClean reports whether a path is already in the form that [Clean] returns.
// Only such a path is exempt from the gate: what two servers may read in two
// ways is not.
func IsClean(name string) bool {
	if !strings.HasPrefix(name, "/") {
		return false
	}
	rest := name[1:]
	for rest != "" {
		segment, after, more := strings.Cut(rest, "/")
		if segment == "." || segment == ".." || segment == "" {
			return false
		}
		if !more {
			break
		}
		rest = after
	}
	return true
}
