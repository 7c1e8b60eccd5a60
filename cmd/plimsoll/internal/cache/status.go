package cache

import (
	"net/http"
	"strconv"
	"time"
)

// Cache-Status (RFC 9211), as a member for this cache. A hit and a forwarded
// request exclude each other (2.2); a negative ttl says how stale it is.
const statusField = "Cache-Status"

// addStatus adds the member after those of caches behind.
func addStatus(h http.Header, member string) {
	before := h[statusField]
	h[statusField] = append(before[:len(before):len(before)], "plimsoll; "+member)
}

func hitStatus(e *entry, now time.Time) string {
	return "hit; ttl=" + strconv.FormatInt(floorSeconds(e.terms.lifetime-e.ageAt(now)), 10)
}

func floorSeconds(d time.Duration) int64 {
	s := int64(d / time.Second)
	if d < 0 && d%time.Second != 0 {
		s--
	}
	return s
}

// forwarded is why a request went on, in the words of RFC 9211 2.2, and what came
// of it.
type forwarded struct {
	why       string // bypass, method, request, uri-miss, vary-miss, stale
	status    int    // of the answer to it; 0: there was none, or it is that of the answer
	stored    bool   // or is about to be, if its body fits
	collapsed bool
}

func (f forwarded) String() string {
	s := "fwd=" + f.why
	if f.status != 0 {
		s += "; fwd-status=" + strconv.Itoa(f.status)
	}
	if f.stored {
		s += "; stored"
	}
	if f.collapsed {
		s += "; collapsed"
	}
	return s
}
