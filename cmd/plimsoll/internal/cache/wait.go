package cache

import (
	"context"
	"errors"
	"io"
	"net/http"
	"sync"
	"time"

	"github.com/plimsoll-go/plimsoll/httpgate"
)

// outcome is what waiting for a flight has led to.
type outcome int

const (
	answered outcome = iota
	another          // it was for others: there is another flight to wait for
	nothing          // nothing that could be shared
)

// wait waits for a flight, answers from it if it may, and leaves it.
func (q *query) wait(f *flight, leads bool) outcome {
	c := q.h.c
	c.waiting.Add(1)
	defer c.waiting.Add(-1)
	defer f.leave(leads)
	ctx := q.r.Context()
	if f.shared && !q.until.IsZero() {
		var cancel context.CancelFunc
		ctx, cancel = context.WithDeadline(ctx, q.until)
		defer cancel()
	}
	for {
		f.mu.Lock()
		now, changed := f.phase, f.changed
		f.mu.Unlock()
		switch {
		case leads && (now == storing || now == ready) && q.asIs(f):
			q.stream(ctx, f)
			return answered
		case now == ready:
			return q.ready(f, leads)
		case now == different:
			return nothing
		case (now == errored || now == broken) && q.afterError(f):
			return answered
		case leads && now == broken:
			q.broke(f)
			return answered
		case leads && (now == passes || now == errored):
			q.stream(ctx, f)
			return answered
		case now > ready:
			return nothing
		}
		select {
		case <-changed:
		case <-ctx.Done():
			q.gone(ctx)
			return answered
		case <-f.ctx.Done():
			if ctx.Err() == nil { // else it ended with the caller
				f.cut()
			}
		}
	}
}

// asIs reports whether what comes is the answer to the request of the one who
// leads, word for word: if the service has been asked with the
// conditions of that request, and no others.
func (q *query) asIs(f *flight) bool {
	return f.base == nil && !f.shared || f.status != http.StatusNotModified && !particular(q.r.Header)
}

// ready answers from the entry that a flight has come to. The one who leads it
// has asked for just that; to others it has to be theirs, too.
func (q *query) ready(f *flight, leads bool) outcome {
	e, now := f.entry, time.Now()
	if !leads {
		if !e.selected(q.r.Header) {
			return another
		}
		if e.terms.judge(e.ageAt(now), &control{}, false) == ask {
			return nothing
		}
	}
	s := q.status()
	s.collapsed = !leads
	as := Collapsed
	switch {
	case f.status == http.StatusNotModified:
		s.status, s.stored = f.status, leads
		as = Validated
	case leads:
		s.stored = true
		as = Miss
	}
	q.h.count(q.r, as)
	answer(q.w, q.r, e, now, s.String())
	return answered
}

// afterError answers with what is stale, since asking has failed.
func (q *query) afterError(f *flight) bool {
	e, now := q.found.entry, time.Now()
	if e == nil || !e.terms.afterError(e.ageAt(now), &q.control) {
		return false
	}
	s := q.status()
	if f != nil {
		s.status = f.status
	}
	q.h.count(q.r, StaleIfError)
	answer(q.w, q.r, e, now, s.String())
	return true
}

// gone answers a caller who does not wait any longer, of which only the one
// whose deadline has passed may still be there.
func (q *query) gone(ctx context.Context) {
	if !errors.Is(ctx.Err(), context.DeadlineExceeded) {
		q.h.count(q.r, Unanswered)
		q.w.WriteHeader(httpgate.StatusClientClosedRequest)
		return
	}
	q.expired()
}

// expired answers a caller whose time is over.
func (q *query) expired() {
	if !q.afterError(nil) {
		q.late()
	}
}

// late answers that it took too long.
func (q *query) late() {
	q.h.count(q.r, Unanswered)
	h := q.w.Header()
	addStatus(h, q.status().String())
	h["Proxy-Status"] = []string{"plimsoll; error=http_response_timeout"}
	http.Error(q.w, "no answer in time", http.StatusGatewayTimeout)
}

// broke ends the request of the one who led a flight that ended without an
// answer, as the flight ended.
func (q *query) broke(f *flight) {
	f.mu.Lock()
	failure := f.failure // it may come after all, and late, where the flight was cut
	f.mu.Unlock()
	if failure == nil && context.Cause(f.ctx) == errLate {
		q.late()
		return
	}
	q.h.count(q.r, Unanswered)
	if p, ok := failure.(*panicked); ok {
		panic(p.value)
	}
	panic(http.ErrAbortHandler)
}

// stream passes an answer on to the one who leads, as it comes.
func (q *query) stream(ctx context.Context, f *flight) {
	f.mu.Lock()
	header, status, length, now := f.sent, f.status, f.length, f.phase
	f.mu.Unlock()
	if isEventStream(header) || now == errored {
		ctx = q.r.Context() // it goes on for as long as it is taken, or came at the last moment
	}
	s := q.status()
	s.stored = now == storing || now == ready
	q.h.count(q.r, Miss)
	copyHeader(q.w.Header(), header)
	addStatus(q.w.Header(), s.String())
	q.w.WriteHeader(status)
	to := &steady{w: q.w}
	if length < 0 {
		to.flush = http.NewResponseController(q.w)
		to.flush.Flush()
	}
	switch q.held(ctx, f, to) {
	case storing: // the caller is gone
	case broken:
		panic(http.ErrAbortHandler)
	case passes, errored:
		q.rest(ctx, f, to)
	}
}

// held passes on what a flight holds, until that is all, or all that it is going
// to hold. It returns the phase then.
func (q *query) held(ctx context.Context, f *flight, to io.Writer) phase {
	for at := 0; ; {
		f.mu.Lock()
		now, body, changed := f.phase, f.body[at:], f.changed
		f.mu.Unlock()
		if len(body) > 0 {
			if _, err := to.Write(body); err != nil {
				return storing
			}
			at += len(body)
			continue
		}
		if now != storing {
			return now
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return storing
		case <-f.ctx.Done():
			f.cut()
		}
	}
}

// rest passes on what comes through the pipe, in the caller's time.
func (q *query) rest(ctx context.Context, f *flight, to io.Writer) {
	f.release()
	defer context.AfterFunc(ctx, func() {
		f.cancel(ctx.Err()) // first: who writes has to see why that fails
		f.from.CloseWithError(ctx.Err())
	})()
	buffer := buffers.Get().(*[32 << 10]byte)
	defer buffers.Put(buffer)
	_, err := io.CopyBuffer(to, f.from, buffer[:])
	f.mu.Lock()
	failure, trailers := f.failure, f.trailers
	f.mu.Unlock()
	if p, ok := failure.(*panicked); ok {
		panic(p.value)
	}
	if err != nil {
		panic(http.ErrAbortHandler)
	}
	copyHeader(q.w.Header(), trailers)
}

// release lets go of what has been taken.
func (f *flight) release() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.c.filling.Add(-int64(len(f.body)))
	f.body = nil
}

// steady writes, and flushes what has no announced length.
type steady struct {
	w     http.ResponseWriter
	flush *http.ResponseController
}

// Write passes on.
func (s *steady) Write(p []byte) (int, error) {
	n, err := s.w.Write(p)
	if err == nil && s.flush != nil {
		s.flush.Flush()
	}
	return n, err
}

// buffers lends what bodies are copied through.
var buffers = sync.Pool{New: func() any { return new([32 << 10]byte) }}
