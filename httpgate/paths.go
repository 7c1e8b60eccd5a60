package httpgate

import (
	"net/url"
	"path"
	"strings"
)

// pathSet is a set of paths and of subtrees, which end in a slash.
type pathSet struct {
	exact    map[string]struct{}
	subtrees []string
}

func newPathSet(paths []string) pathSet {
	s := pathSet{exact: make(map[string]struct{})}
	for _, p := range paths {
		if strings.HasSuffix(p, "/") {
			s.subtrees = append(s.subtrees, p)
		} else {
			s.exact[p] = struct{}{}
		}
	}
	return s
}

// has reports whether the path of a request is in the set. What two routers may
// read in two ways is not: "/debug/../orders" begins with "/debug/", and who
// resolves it serves orders; "/health%2Flive" is "/health/live" to one, and a
// single segment to another.
func (s *pathSet) has(u *url.URL) bool {
	if u.RawPath != "" {
		return false
	}
	p := u.Path
	if len(s.exact) > 0 {
		if _, ok := s.exact[p]; ok {
			return true
		}
	}
	for _, t := range s.subtrees {
		if strings.HasPrefix(p, t) {
			return isClean(p)
		}
	}
	return false
}

func validPath(p string) bool { return strings.HasPrefix(p, "/") && isClean(p) }

// isClean reports whether p has neither empty nor dot segments. A slash at its
// end is no empty segment.
func isClean(p string) bool {
	c := path.Clean(p)
	return c == p || len(p) == len(c)+1 && p[len(c)] == '/'
}
