package httpgate

import (
	"io"
	"net/http"
	"strings"
	"time"

	"github.com/plimsoll-go/plimsoll"
	"github.com/plimsoll-go/plimsoll/class"
	"github.com/plimsoll-go/plimsoll/class/wire"
)

// arrival is what is known of a request before it is admitted.
type arrival struct {
	work    plimsoll.Work
	attempt int
	known   wire.Tag      // what its context says already
	signed  bool          // a signature came with it and was verified
	wants   wants         // what the answer is to say beside itself
	marked  bool          // the route is one of streams
	now     time.Time     // when it came; zero: nobody had to know
	write   time.Time     // when the server stops writing; zero: never
	body    io.ReadCloser // what the handler gets
	mark    uint64        // what a witness knows it by
}

// arrive finds out what a request is. What the process itself has put into
// the context goes before what the caller claims, and a claim before a hint;
// Classify has the last word on all but hints.
func (h *handler) arrive(r *http.Request) arrival {
	ctx := r.Context()
	in := h.cfg.Wire.Read(r.Header)
	if h.cfg.OnInvalid != nil && (in.InvalidTimeout || in.InvalidCriticality || in.Clamped || in.Signature > wire.Verified) {
		h.cfg.OnInvalid(r, in)
	}
	tag := wire.From(ctx)
	a := arrival{
		work:    plimsoll.Work{Criticality: tag.Criticality, Level: tag.Level, Tenant: tag.Tenant},
		attempt: tag.Attempt,
		known:   tag,
		signed:  tag.Signed || in.Signed,
		wants:   h.always,
		marked:  h.streams.has(r.URL),
	}
	if a.attempt == 0 {
		a.attempt = in.Attempt
	}
	if a.work.Criticality == class.Unset && !in.Hint {
		a.work.Criticality = in.Criticality
	}
	if h.cfg.Wire.Trusted || in.Signed {
		if v := r.Header[WantHeader]; len(v) > 0 {
			a.wants |= wanted(v)
		}
	}
	if a.work.Level == 0 {
		a.work.Level = in.Level
	}
	a.work.Stream = a.marked || announcesStream(r)

	timeout := writeTimeout(r)
	if in.HasTimeout || timeout > 0 {
		a.now = time.Now()
		a.deadlines(r, in, timeout)
	}
	if h.cfg.Classify != nil {
		known := a.work.Stream
		a.work = h.classify(r, a.work)
		a.marked = a.marked || a.work.Stream && !known
	}
	if a.work.Criticality == class.Unset {
		a.work.Criticality = in.Criticality
	}
	return a
}

// classify keeps the work that Classify points at off the heap, so that a
// refusal that it is part of stays free.
func (h *handler) classify(r *http.Request, work plimsoll.Work) plimsoll.Work {
	w := h.works.Get().(*plimsoll.Work)
	*w = work
	h.cfg.Classify(r, w)
	work = *w
	*w = plimsoll.Work{}
	h.works.Put(w)
	return work
}

// deadlines anchors remaining times on the clock. The end of writing alone is
// no deadline to rank or predict by: it says how long the server is willing,
// not how long the caller is.
func (a *arrival) deadlines(r *http.Request, in wire.Incoming, timeout time.Duration) {
	if timeout > 0 {
		a.write = a.now.Add(timeout)
	}
	if !in.HasTimeout {
		return
	}
	a.work.Deadline = earlier(a.now.Add(in.Timeout), a.write)
	if d, ok := r.Context().Deadline(); ok {
		a.work.Deadline = earlier(a.work.Deadline, d)
	}
}

// earlier returns the earlier of two times of which zero ones are never.
func earlier(a, b time.Time) time.Time {
	if a.IsZero() || !b.IsZero() && b.Before(a) {
		return b
	}
	return a
}

// writeTimeout is the time in which the server that r came from must have
// written the answer: counted from the end of the request's header, hence from
// now; zero: any time.
func writeTimeout(r *http.Request) time.Duration {
	if s, ok := r.Context().Value(http.ServerContextKey).(*http.Server); ok {
		return s.WriteTimeout
	}
	return 0
}

// announcesStream reports whether a request asks for an answer that is a
// stream: CONNECT, an upgrade (RFC 9110 7.8), or server-sent events and nothing
// else. An upgrade to h2c and nothing else is none; net/http ignores it. What would
// also take another kind of answer is not known to be one: it gets a place among
// the streams when its answer turns out to be one, if there is any.
func announcesStream(r *http.Request) bool {
	if r.Method == http.MethodConnect {
		return true
	}
	if u := r.Header["Upgrade"]; len(u) > 0 && r.ProtoMajor == 1 {
		return offersOther(u) && hasToken(r.Header["Connection"], "upgrade")
	}
	v := r.Header["Accept"]
	return len(v) == 1 && strings.EqualFold(v[0], eventStream)
}

// offersOther reports whether one of the protocols of an Upgrade is not h2c.
func offersOther(lines []string) bool {
	for _, line := range lines {
		for part := range strings.SplitSeq(line, ",") {
			if part = strings.TrimSpace(part); part != "" && !strings.EqualFold(part, "h2c") {
				return true
			}
		}
	}
	return false
}

// hasToken reports whether a list of tokens (RFC 9110 5.6.1) has one.
func hasToken(lines []string, token string) bool {
	for _, line := range lines {
		for part := range strings.SplitSeq(line, ",") {
			if strings.EqualFold(strings.TrimSpace(part), token) {
				return true
			}
		}
	}
	return false
}

// isEventStream reports whether an answer is server-sent events.
func isEventStream(h http.Header) bool {
	v := h["Content-Type"]
	return len(v) > 0 && len(v[0]) >= len(eventStream) && strings.EqualFold(v[0][:len(eventStream)], eventStream)
}

const eventStream = "text/event-stream"
