package proxy

import (
	"net/http"

	"github.com/plimsoll-go/plimsoll/cmd/plimsoll/internal/upstream"
)

// weigh is the memory that a request is counted to hold while it waits, in
// bytes: its header, as it stands on the wire, and the buffer that the
// beginning of its body has where that is waited for. The rest of a body stays
// with its sender.
func weigh(r *http.Request, stream bool) int64 {
	n := len(r.Method) + len(r.RequestURI) + len(r.Host)
	for name, lines := range r.Header {
		for _, line := range lines {
			n += len(name) + len(line) + len(": \r\n")
		}
	}
	if !stream && comesEarly(r) {
		n += earlyMost
	}
	return int64(n)
}

// comesEarly reports whether a request has a body whose beginning may be waited
// for. That of others is what their sender holds back: what is to follow 100
// Continue, and gRPC and, over HTTP/2, a body whose length is not known, where
// both sides may be waiting for each other. Their slots are bounded by the pace
// and the request's time.
func comesEarly(r *http.Request) bool {
	return r.Body != nil && r.Body != http.NoBody && len(r.Header["Expect"]) == 0 &&
		(r.ProtoMajor == 1 || r.ContentLength >= 0) && !upstream.IsGRPC(r)
}
