package cache

import (
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"
)

// entry is a stored answer. It never changes; one that has been validated is
// another entry with the same body.
type entry struct {
	status int
	header http.Header // as it is sent, without Age and Cache-Status of this cache
	body   []byte
	terms  terms
	asked  time.Time     // when it was asked for, or asked about
	came   time.Time     // when it came, or was found to be good still
	age    time.Duration // then

	vary   []string // what it varies with
	varies string   // the values of the request that it was the answer to

	size int64 // what it counts for, since it was stored
}

// overhead is about what the bookkeeping of an entry takes, in bytes.
const overhead = 512

// newEntry makes an entry, without its body, of the answer to a request with
// the header asked; nil: it could hardly be used again, or is too long.
func newEntry(status int, asked, h http.Header, at exchange, g grant) *entry {
	e := &entry{status: status, header: kept(h), asked: at.asked, came: at.came}
	if _, ok := parseDate(e.header["Date"]); !ok {
		e.header["Date"] = []string{at.came.UTC().Format(http.TimeFormat)}
	}
	e.age = initialAge(e.header, at)
	delete(e.header, "Age")
	c := parseControl(h["Cache-Control"])
	e.terms = termsOf(e.header, &c, g)
	names, ok := varyNames(h["Vary"])
	if !ok || headerBytes(e.header) > maxHeaderBytes {
		return nil
	}
	if e.vary = names; len(names) > 0 {
		if e.varies, ok = varyKey(names, asked); !ok {
			return nil
		}
	}
	if e.remains(at.came) <= 0 && !e.canValidate() {
		return nil
	}
	return e
}

// maxHeaderBytes bounds the header of what is stored.
const maxHeaderBytes = 32 << 10

func headerBytes(h http.Header) int64 {
	n := 0
	for name, values := range h {
		n += len(name) + 64
		for _, v := range values {
			n += len(v) + 16
		}
	}
	return int64(n)
}

// cost is what an entry counts for in bytes.
func (e *entry) cost() int64 {
	return overhead + int64(len(e.body)+len(e.varies)) + headerBytes(e.header)
}

// ageAt is the current age (RFC 9111 4.2.3). A clock that runs backwards counts
// as no time passed.
func (e *entry) ageAt(now time.Time) time.Duration { return e.age + max(0, now.Sub(e.came)) }

// remains is how long an entry can be of use without being validated.
func (e *entry) remains(now time.Time) time.Duration {
	return e.terms.lifetime + max(e.terms.whileRevalidating, e.terms.ifError) - e.ageAt(now)
}

// canValidate reports whether the service can be asked whether an entry is
// still good (RFC 9111 4.3.1).
func (e *entry) canValidate() bool {
	return len(e.header["Etag"]) > 0 || len(e.header["Last-Modified"]) > 0
}

// selected reports whether an entry answers a request by what it varies with,
// and may answer one with its Authorization.
func (e *entry) selected(h http.Header) bool {
	if len(h["Authorization"]) > 0 && !e.terms.authorized {
		return false
	}
	key, ok := varyKey(e.vary, h)
	return ok && key == e.varies
}

// validated is the entry after a 304 to a question about it (RFC 9111 4.3.4);
// nil: the answer speaks of another representation, or takes away what allowed
// to store it.
func (e *entry) validated(asked, h http.Header, at exchange, g grant) *entry {
	if tag := h.Get("Etag"); tag != "" && weak(tag) != weak(e.header.Get("Etag")) {
		return nil
	}
	merged := e.header.Clone()
	for name, values := range kept(h) {
		switch name {
		case "Content-Length", "Content-Encoding", "Content-Range", "Content-Type": // 3.2
		default:
			merged[name] = values
		}
	}
	if age := h["Age"]; len(age) > 0 {
		merged["Age"] = age
	}
	if len(h["Date"]) == 0 {
		delete(merged, "Date")
	}
	c := parseControl(merged["Cache-Control"])
	if !storable(e.status, asked, &control{}, merged, &c) {
		return nil
	}
	out := newEntry(e.status, asked, merged, at, g)
	if out != nil {
		out.body = e.body
	}
	return out
}

// weak is an entity tag as it is compared weakly (RFC 9110 8.8.3.2).
func weak(tag string) string { return strings.TrimPrefix(tag, "W/") }

// withBody is the entry with its body, at its size.
func (e *entry) withBody(body []byte) *entry {
	e.body = slices.Clip(slices.Clone(body))
	if e.status != http.StatusNoContent {
		e.header["Content-Length"] = []string{strconv.Itoa(len(body))}
	}
	return e
}

// endToEnd is a request without the fields that it lists under Connection: they
// do not come to the service (RFC 9110 7.6.1), and so tell its answers apart no
// more than if they were not there.
func endToEnd(r *http.Request) *http.Request {
	listed := struckOut(r.Header)
	if listed == nil {
		return r
	}
	out := *r
	out.Header = r.Header.Clone()
	for _, name := range listed {
		delete(out.Header, name)
	}
	return &out
}

// struckOut are the fields that a header lists under Connection, but for those
// that speak of one connection anyway. It allocates nothing where there are none.
func struckOut(h http.Header) []string {
	var out []string
	for _, line := range h["Connection"] {
		for name := range strings.SplitSeq(line, ",") {
			name = strings.Trim(name, " \t")
			switch lower(name) {
			case "", "close", "keep-alive", "upgrade", "te":
			default:
				out = append(out, http.CanonicalHeaderKey(name))
			}
		}
	}
	return out
}

// passing are the fields that speak of one connection (RFC 9110 7.6.1, RFC 9111
// 3.1) or of one exchange.
var passing = []string{
	"Connection", "Keep-Alive", "Proxy-Connection", "Te", "Transfer-Encoding", "Upgrade", "Trailer",
	"Proxy-Authenticate", "Proxy-Authentication-Info", "Proxy-Authorization",
	"Proxy-Status", "Server-Timing", "Endpoint-Load-Metrics", "Retry-After",
}

// kept is a copy of what of an answer's header is stored.
func kept(h http.Header) http.Header {
	drop := slices.Concat(passing, struckOut(h))
	out := make(http.Header, len(h)+2)
	for name, values := range h {
		if !slices.Contains(drop, name) && !strings.HasPrefix(name, "Plimsoll-") {
			out[name] = slices.Clone(values)
		}
	}
	return out
}
