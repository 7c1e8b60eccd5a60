package proxy

import (
	"net/http"
	"net/url"
	"strings"

	"golang.org/x/net/http/httpguts"
)

// malformed says what of a request is of a form that is not passed on; "":
// nothing. What net/http refuses over HTTP/1.1 is refused over HTTP/2 as well,
// where it is let through, and what an upstream could not be sent is the
// caller's fault, and not that of the endpoint that would have got it.
func malformed(r *http.Request) string {
	if r.URL.Opaque != "" {
		// "x:http://shop/dear" is a URL without host and path, and would go on
		// as "http://shop/dear", by a route for neither.
		return "malformed target"
	}
	if ambiguous(r.URL) {
		return "ambiguous path"
	}
	if r.ProtoMajor > 1 {
		switch {
		case !httpguts.ValidHostHeader(r.Host):
			// Upstream, such a host would be an empty one, so that what is
			// answered, and stored, was for another.
			return "malformed :authority"
		case !httpguts.ValidHeaderFieldName(r.Method): // both are tokens
			return "malformed :method"
		case strings.IndexByte(r.RequestURI, ' ') >= 0:
			// In the first line of HTTP/1.1, the protocol follows a space.
			return "malformed :path"
		}
	}
	for name := range r.Trailer {
		if !httpguts.ValidHeaderFieldName(name) {
			return "malformed Trailer"
		}
	}
	return ""
}

// ambiguous reports whether a path has a dot segment for some servers and not for
// others: one with parameters ("..;x", which servlet containers drop), or that is
// set off by a backslash or an encoded slash. "/public/..;/admin" is "/admin" to the
// first, and below "/public" to the others; no route is right for both.
func ambiguous(u *url.URL) bool {
	if u.RawPath == "" && !strings.ContainsAny(u.Path, `;\`) {
		return false
	}
	for segment := range strings.SplitSeq(u.EscapedPath(), "/") {
		segment, _ = url.PathUnescape(segment) // it was read from there
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
