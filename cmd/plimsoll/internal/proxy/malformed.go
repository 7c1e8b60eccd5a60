package proxy

import (
	"net/http"
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
