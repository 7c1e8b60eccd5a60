package proxy

import (
	"net/url"
	"strings"
)

// ambiguous reports whether a path has a dot segment for some servers and not for
// others: one with parameters ("..;x", which servlet containers drop), that is set
// off by a backslash or an encoded slash, or beside an empty segment, which some
// drop first. "/public/..;/admin" is "/admin" to the first, and below "/public" to
// the others; no route is right for both.
func ambiguous(u *url.URL) bool {
	if dotted(u.Path) && strings.Contains(u.Path, "//") {
		return true
	}
	if u.RawPath == "" && !strings.ContainsAny(u.Path, `;\`) {
		return false
	}
	for segment := range strings.SplitSeq(u.EscapedPath(), "/") {
		segment = plain(segment)
		if segment == "." || segment == ".." {
			continue
		}
		for part := range strings.FieldsFuncSeq(segment, func(c rune) bool { return c == '/' || c == '\\' }) {
			if name, _, _ := strings.Cut(part, ";"); name == "." || name == ".." {
				return true
			}
		}
	}
	return false
}

// dotted reports whether a path has a dot segment.
func dotted(path string) bool {
	if !strings.Contains(path, "/.") {
		return false
	}
	for segment := range strings.SplitSeq(path, "/") {
		if segment == "." || segment == ".." {
			return true
		}
	}
	return false
}

// resolve takes the dot segments out of a path that is not ambiguous (RFC 3986
// 5.2.4), so that its route is found by what the service gets: not every one
// resolves them itself. Nothing else of it changes.
func resolve(u *url.URL) {
	if !dotted(u.Path) {
		return
	}
	segments := strings.Split(u.EscapedPath(), "/")[1:]
	kept := segments[:0]
	for i, segment := range segments {
		name := plain(segment)
		if name != "." && name != ".." {
			kept = append(kept, segment)
			continue
		}
		if name == ".." && len(kept) > 0 {
			kept = kept[:len(kept)-1]
		}
		if i == len(segments)-1 {
			kept = append(kept, "")
		}
	}
	escaped := "/" + strings.Join(kept, "/")
	u.Path, u.RawPath = plain(escaped), ""
	if u.EscapedPath() != escaped {
		u.RawPath = escaped
	}
}

// plain decodes a path, or a part of one, that was decoded before.
func plain(escaped string) string {
	text, _ := url.PathUnescape(escaped)
	return text
}
