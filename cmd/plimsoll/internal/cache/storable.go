package cache

import (
	"net/http"
	"strings"

	"github.com/plimsoll-go/plimsoll/class/wire"
	"github.com/plimsoll-go/plimsoll/client"
)

// understood are the statuses that are stored: those below 400 whose meaning is
// known here. Parts (206) are not, and errors never.
var understood = map[int]bool{
	http.StatusOK: true, http.StatusNonAuthoritativeInfo: true, http.StatusNoContent: true, http.StatusMultipleChoices: true,
	http.StatusMovedPermanently: true, http.StatusFound: true, http.StatusTemporaryRedirect: true, http.StatusPermanentRedirect: true,
}

// storable reports whether a shared cache may store the answer to a GET (RFC
// 9111 3), and does here. Beyond the RFC an answer has to say how long it is good, or
// that it is public; and one that sets a cookie is not stored even if it
// is, since that is mostly an accident (7.3).
func storable(status int, asked http.Header, request *control, h http.Header, c *control) bool {
	switch {
	case !understood[status], request.noStore, c.private:
		return false
	case c.noStore && !c.mustUnderstand: // 5.2.2.3
		return false
	case len(asked["Authorization"]) > 0 && !(c.public || c.mustRevalidate || c.sMaxAge.given): // 3.5
		return false
	case degraded(h): // the next caller may get the full answer
		return false
	case len(h["Set-Cookie"]) > 0, len(h["Trailer"]) > 0, len(h["Content-Range"]) > 0, isEventStream(h):
		return false
	}
	if _, explicit := lifetime(h, c); !explicit && !c.public {
		return false
	}
	_, ok := varyNames(h["Vary"])
	return ok
}

// degraded reports whether an answer is a cheaper one than what was asked for, as
// a tier of the gate was active for its request. It says nothing of what is stored.
func degraded(h http.Header) bool { return len(h[wire.DegradedHeader]) > 0 }

// isEventStream reports whether an answer may go on without end.
func isEventStream(h http.Header) bool {
	return len(h["Content-Type"]) > 0 && strings.HasPrefix(lower(h["Content-Type"][0]), "text/event-stream")
}

// failed reports whether an answer is an error in the sense of stale-if-error
// (RFC 5861 4), or the refusal of a gate: one of ours says so in
// Proxy-Status, whatever its status.
func failed(status int, h http.Header) bool {
	switch status {
	case http.StatusInternalServerError, http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout:
		return true
	case http.StatusTooManyRequests:
		return client.ReadProxyStatus(h["Proxy-Status"]).Own
	}
	return false
}

// supersedes reports whether an answer that is not stored shows that what is
// stored is no longer so: 403, 404 and 410, and whatever else the
// service answers in place of it. Errors do not, nor does what the caller alone
// may be to blame for.
func supersedes(status int, h http.Header) bool {
	if degraded(h) {
		return false
	}
	switch status {
	case http.StatusForbidden, http.StatusNotFound, http.StatusGone:
		return true
	case http.StatusPartialContent, http.StatusNotModified:
		return false
	}
	return status >= 200 && status < 400
}
