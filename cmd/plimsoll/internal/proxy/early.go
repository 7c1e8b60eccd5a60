package proxy

import (
	"errors"
	"io"
	"net/http"
	"sync"
	"time"

	"github.com/plimsoll-go/plimsoll/cmd/plimsoll/internal/config"
	"github.com/plimsoll-go/plimsoll/cmd/plimsoll/internal/upstream"
)

// earlyMost is how much of a body is waited for before the gate is asked. A
// sender that trickles has then no slot, unless it has brought this much; and
// what most requests bring has come with their header.
const earlyMost = int(config.BodyAhead)

// earlyBytes is the beginning of a body.
type earlyBytes struct {
	buffer *[earlyMost]byte
	from   int
	to     int
}

var earlyBuffers = sync.Pool{New: func() any { return new([earlyMost]byte) }}

// read reads it, and gives the buffer back with the last of it.
func (e *earlyBytes) read(p []byte) int {
	if e.buffer == nil {
		return 0
	}
	n := copy(p, e.buffer[e.from:e.to])
	if e.from += n; e.from == e.to {
		earlyBuffers.Put(e.buffer)
		e.buffer = nil
	}
	return n
}

// await waits for the beginning of a body, without a slot, and returns the body
// with it. Not ok: it has answered, since that came too slowly or broke off.
func (p *Proxy) await(w http.ResponseWriter, r *http.Request, deadline time.Time) (_ io.ReadCloser, ok bool) {
	at, ok := r.Context().Value(paceKey{}).(*pace)
	if !ok || upstream.IsGRPC(r) {
		return r.Body, true
	}
	body := &pacedBody{ReadCloser: r.Body, pace: at, w: w}
	if !comesEarly(r) {
		return body, true
	}
	switch err := body.begin(r.ContentLength, deadline); {
	case err == nil || err == io.EOF:
		return body, true
	case errors.Is(err, errSlow) && !deadline.IsZero() && !time.Now().Before(deadline):
		return body, true // its own time is over, and the gate says so
	case errors.Is(err, errSlow):
		p.record.Events.SlowBodies.Add(1)
		sendOff(w, r, http.StatusRequestTimeout, "the body came too slowly")
	default:
		sendOff(w, r, http.StatusBadRequest, "the body broke off")
	}
	return nil, false
}

// sendOff answers a request that is not there as a whole, and closes its
// connection: over HTTP/2, where others share that, its stream.
func sendOff(w http.ResponseWriter, r *http.Request, status int, why string) {
	if r.ProtoMajor == 1 {
		w.Header().Set("Connection", "close")
	}
	reply(w, r, status, "http_request_error", why)
}

// begin reads the beginning of a body of a length, -1 if it is not known, and
// returns its end if that was reached.
func (b *pacedBody) begin(length int64, deadline time.Time) error {
	e := &b.early
	e.buffer = earlyBuffers.Get().(*[earlyMost]byte)
	for e.to < earlyMost && b.end == nil && (length < 0 || int64(e.to) < length) {
		most := b.pace.allowance(b.got, b.waited)
		if !deadline.IsZero() {
			most = min(most, time.Until(deadline))
		}
		n, err := b.readOn(e.buffer[e.to:], most)
		e.to += n
		b.end = err
	}
	return b.end
}
