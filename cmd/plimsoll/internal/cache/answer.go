package cache

import (
	"bytes"
	"net/http"
	"strconv"
	"time"
)

// answer answers a request from an entry: conditions and ranges of the request
// are evaluated against it (RFC 9111 4.3.2, RFC 9110 13.2, 14.2).
func answer(w http.ResponseWriter, r *http.Request, e *entry, now time.Time, member string) {
	h := w.Header()
	copyHeader(h, e.header)
	h["Age"] = []string{strconv.FormatInt(int64(e.ageAt(now)/time.Second), 10)}
	addStatus(h, member)
	if e.status == http.StatusOK && particular(r.Header) {
		if r.Method == http.MethodHead {
			r = wholly(r)
		}
		if _, typed := h["Content-Type"]; !typed {
			h["Content-Type"] = nil // or ServeContent guesses
		}
		modified, _ := parseDate(e.header["Last-Modified"])
		http.ServeContent(w, r, "", modified, bytes.NewReader(e.body))
		return
	}
	w.WriteHeader(e.status)
	if r.Method != http.MethodHead && e.status != http.StatusNoContent {
		w.Write(e.body)
	}
}

// wholly is a request for a part as one for the whole: of a HEAD there are no parts
// (RFC 9110 14.2).
func wholly(r *http.Request) *http.Request {
	out := *r
	out.Header = r.Header.Clone()
	delete(out.Header, "Range")
	delete(out.Header, "If-Range")
	return &out
}

// conditions are the fields of a request that may make its answer another than
// the whole.
var conditions = []string{"If-None-Match", "If-Modified-Since", "If-Range", "Range", "If-Match", "If-Unmodified-Since"}

// particular reports whether a request has any of them.
func particular(h http.Header) bool {
	for _, name := range conditions {
		if len(h[name]) > 0 {
			return true
		}
	}
	return false
}
