package cache

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"runtime/debug"
	"sync"
	"time"
)

// phase is how far a flight has come, and what its answer turned out to be.
type phase int

const (
	asking    phase = iota // no answer yet
	storing                // its header allows to store it; the body is coming
	ready                  // there is an entry for all who wait
	passes                 // it is for the leader alone, as it comes
	errored                // it is an error, for the leader alone
	different              // a validator did not hold what it promised: ask again without
	broken                 // it ended without an answer, or in the middle of one
)

// flight is one fetch. Its handler runs on a goroutine of its own and writes to
// it as to a caller; those who wait read from it.
type flight struct {
	c       *Cache
	policy  *Policy
	key     string
	shared  bool   // others may join
	varies  string // if they say this in what answers vary with
	rank    int    // and matter no more than that
	base    *entry // what is being validated; nil: nothing is
	epoch   uint32
	request *http.Request // as it is sent
	asked   http.Header   // of the request
	control control       // of the request
	began   time.Time
	ctx     context.Context
	cancel  context.CancelCauseFunc
	timer   *time.Timer // the flight's own deadline; nil: the leader's time is its own
	forget  func() bool // takes it off what the end of the cache ends

	header http.Header // what the handler writes to

	mu         sync.Mutex
	changed    chan struct{} // closed, and another made, when anything below changes
	phase      phase
	over       bool // the handler has returned
	status     int
	sent       http.Header // as it was when the answer began
	entry      *entry      // in storing: without its body
	body       []byte      // in storing, and what came before it turned out too long
	length     int64       // as announced; -1: it is not
	waiting    int
	leading    bool // somebody takes what cannot be shared
	doomed     bool // nobody waits any more, and it has been told so
	background bool
	failure    any // what the handler panicked with
	trailers   http.Header
	from       *io.PipeReader
	to         *io.PipeWriter
}

var (
	errNobody    = errors.New("cache: nobody waits for the answer")
	errLate      = errors.New("cache: the flight has taken too long")
	errDiscarded = errors.New("cache: an error that nobody wants")
	errClosed    = errors.New("cache: closed")
)

// run carries the request on, and ends the flight however that ends.
func (f *flight) run(next http.Handler) {
	defer f.c.running.Done()
	defer f.c.inFlight.Add(-1)
	defer func() {
		failure := recover()
		if failure != nil && failure != http.ErrAbortHandler {
			failure = &panicked{failure, debug.Stack()}
		}
		f.finish(failure)
	}()
	next.ServeHTTP((*flightWriter)(f), f.request)
	f.begin(http.StatusOK) // unless it has
}

// panicked is a panic on its way to the goroutine of the one who asked.
type panicked struct {
	value any
	stack []byte
}

// finish settles what came of it.
func (f *flight) finish(failure any) {
	f.mu.Lock()
	f.over = true
	f.c.filling.Add(-int64(len(f.body)))
	switch {
	case failure != nil || f.phase == asking || f.ctx.Err() != nil && f.phase == storing:
		f.failure = failure
		if f.phase == asking || f.phase == storing {
			f.phase = broken
		}
	case f.phase == storing && f.length >= 0 && f.length != int64(len(f.body)) && f.status != http.StatusNoContent:
		f.phase = broken // incomplete (RFC 9111 3.3)
	case f.phase == storing:
		f.storeLocked(f.entry.withBody(f.body))
	}
	f.trailers = f.trailersLocked()
	if f.to != nil {
		if failure != nil {
			f.to.CloseWithError(http.ErrAbortHandler)
		} else {
			f.to.Close()
		}
	}
	f.wakeLocked()
	orphan, ok := failure.(*panicked)
	ok = ok && !f.leading
	f.mu.Unlock()
	if ok {
		slog.Error("panic in a fetch that nobody waits for", "panic", orphan.value, "stack", string(orphan.stack))
	}
	if f.shared {
		f.leaveMap()
	}
	if f.background {
		f.c.refreshing.Add(-1)
	}
	if f.timer != nil {
		f.timer.Stop()
	}
	f.forget()
	f.cancel(nil)
}

// cut ends the waiting for a handler that goes on though its time is over.
func (f *flight) cut() {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.phase == asking || f.phase == storing {
		f.phase = broken
		f.wakeLocked()
	}
}

// storeLocked puts an entry in force for all who wait, and into the store.
func (f *flight) storeLocked(e *entry) {
	f.entry, f.phase = e, ready
	if f.c.store.put(f.key, e, f.epoch) {
		f.c.counts.stored.Add(1)
	}
}

// wakeLocked tells everybody who waits to look again.
func (f *flight) wakeLocked() {
	close(f.changed)
	f.changed = make(chan struct{})
}

// begin settles, by status and header, what the answer is.
func (f *flight) begin(status int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.phase != asking {
		return
	}
	f.status, f.sent = status, f.header.Clone()
	f.length = announced(f.sent)
	f.phase = f.rulingLocked()
	switch f.phase {
	case passes:
		f.passLocked()
	case errored:
		if f.from, f.to = io.Pipe(); !f.leading {
			f.discardLocked()
		}
	case different:
		f.c.store.drop(f.key)
	}
	f.wakeLocked()
}

// rulingLocked is what an answer with this status and header is to those who
// wait.
func (f *flight) rulingLocked() phase {
	now := time.Now()
	switch context.Cause(f.ctx) {
	case errLate, errNobody, errClosed:
		return broken // whatever the handler makes of it
	}
	at, g := exchange{f.began, now}, grant{f.policy.StaleWhileRevalidate, f.policy.StaleIfError}
	if f.base != nil && f.status == http.StatusNotModified {
		e := f.base.validated(f.asked, f.sent, at, g)
		if e == nil {
			return different
		}
		f.storeLocked(e)
		return ready
	}
	if failed(f.status, f.sent) {
		if f.base == nil && f.shared {
			f.c.store.mark(f.key, now.Add(failFor))
		}
		return errored
	}
	if f.request.Method == http.MethodHead {
		f.headLocked()
		return passes
	}
	c := parseControl(f.sent["Cache-Control"])
	if storable(f.status, f.asked, &f.control, f.sent, &c) && f.length <= f.c.config.Load().ObjectBytes {
		if f.entry = newEntry(f.status, f.asked, f.sent, at, g); f.entry != nil {
			return storing
		}
	}
	own := f.control.noStore || len(f.asked["Authorization"]) > 0 && f.status < 300 // what is said to one says nothing to others
	if known := f.c.store.find(f.key, f.asked, now); !own && f.contradictsLocked(known) && f.c.store.drop(f.key) {
		f.c.counts.dropped.Add(1)
	}
	if f.shared {
		f.c.store.mark(f.key, now.Add(passFor))
	}
	return passes
}

// contradictsLocked reports whether the answer takes the place of what is stored:
// of what its own request would have been given, or of all there is, since that
// is gone. What varies from it is none of its business. Where there is nothing,
// it is what was asked for earlier and has not come yet.
func (f *flight) contradictsLocked(known found) bool {
	gone := f.status == http.StatusNotFound || f.status == http.StatusGone
	return supersedes(f.status, f.sent) && (known.entry != nil || gone || !known.any)
}

// headLocked drops what the answer to a HEAD shows to be stored no longer (RFC
// 9111 4.3.5).
func (f *flight) headLocked() {
	known := f.c.store.find(f.key, f.asked, time.Now())
	same := known.entry != nil && f.status == known.entry.status
	for _, name := range []string{"Etag", "Last-Modified", "Content-Length"} {
		if v := f.sent.Get(name); same && v != "" && v != known.entry.header.Get(name) {
			same = false
		}
	}
	if known.any && !same && !f.control.noStore && f.contradictsLocked(known) && f.c.store.drop(f.key) {
		f.c.counts.dropped.Add(1)
	}
}

// passLocked gives the rest of the answer to the leader, at the leader's pace
// and in the leader's time; without one it ends. Nobody joins it any more.
func (f *flight) passLocked() {
	f.from, f.to = io.Pipe()
	if f.timer != nil {
		f.timer.Stop()
	}
	if !f.leading {
		f.cancel(errNobody)
		f.from.CloseWithError(errNobody)
	}
}
