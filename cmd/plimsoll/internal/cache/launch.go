package cache

import (
	"context"
	"net/http"
	"slices"
	"time"
)

// join returns the flight that fetches what a query asks for, and makes one if
// there is none, which the caller then leads; nil: the cache is closed, or has
// just been given the answer.
func (q *query) join(varies string) (f *flight, leads bool) {
	c := q.h.c
	c.mu.Lock()
	f = q.underWayLocked(varies)
	c.mu.Unlock()
	if f != nil {
		return f, false
	}
	f = q.prepare(&varies)
	var other *flight
	if f.start(q.h.policy.Forward, func() bool {
		other = q.underWayLocked(varies)
		return other != nil || q.come()
	}) {
		return f, true
	}
	return other, false
}

// underWayLocked enters the flight that fetches what a query asks for; nil:
// there is none.
func (q *query) underWayLocked(varies string) *flight {
	for _, f := range q.h.c.flights[q.key] {
		if f.varies == varies && f.rank >= q.rank && f.base.is(q.found.entry) && f.enter() {
			return f
		}
	}
	return nil
}

// come reports whether the answer to a query has been stored since it was looked
// for. A flight stores it before it is no longer under way.
func (q *query) come() bool {
	now := time.Now()
	e := q.h.c.store.find(q.key, q.r.Header, now).entry
	return e != nil && e != q.found.entry && e.terms.judge(e.ageAt(now), &q.control, false) == use
}

// is reports whether two entries are of the same answer, of which one may have
// been validated since.
func (e *entry) is(other *entry) bool { return e == nil || other == nil || e.varies == other.varies }

// enter adds somebody who waits; false: the flight is of no use to him.
func (f *flight) enter() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.doomed || f.phase != asking && f.phase != storing && f.phase != ready {
		return false
	}
	f.waiting++
	return true
}

// launch begins a flight for the caller alone; nil: the cache is closed.
func (q *query) launch() *flight {
	f := q.prepare(nil)
	if !f.start(q.h.policy.Forward, nil) {
		return nil
	}
	return f
}

// prepare makes a flight led by the caller, which others may join that say the
// same in what answers vary with; nil: which is the caller's alone.
func (q *query) prepare(varies *string) *flight {
	ctx := q.r.Context()
	if varies != nil {
		ctx = context.WithoutCancel(ctx)
	}
	f := q.flight(ctx)
	f.waiting, f.leading = 1, true
	if varies != nil {
		f.shared, f.varies, f.rank = true, *varies, q.rank
	}
	return f
}

// refresh asks again in the background for what is stale, unless somebody does
// or it is too soon.
func (q *query) refresh() {
	c := q.h.c
	varies, ok := varyKey(q.found.entry.vary, q.r.Header)
	if !ok || !c.store.mayRefresh(q.key, time.Now(), refreshPause) {
		c.counts.skipped.Add(1)
		return
	}
	if c.refreshing.Add(1) <= int64(c.config.Load().Refreshes) {
		f := q.flight(context.WithoutCancel(q.r.Context()))
		f.background, f.shared, f.varies = true, true, varies
		f.nobodys(q.found.entry)
		if f.start(q.h.policy.Refresh, nil) {
			c.counts.refreshes.Add(1)
			return
		}
	}
	c.refreshing.Add(-1)
	c.counts.skipped.Add(1)
}

// flight makes a flight for a query, which has not started.
func (q *query) flight(ctx context.Context) *flight {
	f := &flight{
		c: q.h.c, policy: &q.h.policy, key: q.key, epoch: q.found.epoch,
		control: q.control, began: time.Now(),
		header: http.Header{}, changed: make(chan struct{}),
	}
	if e := q.found.entry; e != nil && e.canValidate() && q.r.Method == http.MethodGet && !q.control.noStore && !ranged(q.r.Header) {
		f.base = e
	}
	f.ctx, f.cancel = context.WithCancelCause(ctx)
	f.request = q.r.Clone(f.ctx)
	return f
}

// nobodys makes of the request of the one who came upon a stale answer one that
// fetches it anew: whole, and without what he wanted for himself.
func (f *flight) nobodys(stale *entry) {
	f.request.Method, f.control = http.MethodGet, control{}
	if stale.canValidate() {
		f.base = stale
	}
}

// start sends it off; false: the cache is closed, or somebody has made it
// needless, which is looked at in the same moment in which others see it.
func (f *flight) start(next http.Handler, needless func() bool) bool {
	c := f.c
	f.asked = f.request.Header.Clone() // before anything in it is changed
	f.address()
	c.mu.Lock()
	if c.closed || needless != nil && needless() {
		c.mu.Unlock()
		f.cancel(errNobody)
		return false
	}
	c.running.Add(1)
	if f.shared {
		c.flights[f.key] = append(c.flights[f.key], f)
	}
	c.mu.Unlock()
	c.inFlight.Add(1)
	if f.shared {
		f.timer = time.AfterFunc(c.config.Load().Flight, func() {
			f.cancel(errLate)
			f.cut()
		})
	}
	f.forget = context.AfterFunc(c.life, func() { f.cancel(errClosed) })
	go f.run(next)
	return true
}

// address makes of a caller's request the one that is sent: what is for many
// has no conditions but the cache's own (RFC 9111 4.3.1).
func (f *flight) address() {
	r := f.request
	r.Body, r.GetBody = http.NoBody, nil
	if f.shared || f.base != nil {
		for _, name := range conditions {
			delete(r.Header, name)
		}
	}
	if f.background {
		delete(r.Header, "Cache-Control")
	}
	if f.shared && f.policy.Prepare != nil {
		f.policy.Prepare(r)
	}
	if f.base != nil {
		if tag := f.base.header.Get("Etag"); tag != "" {
			r.Header["If-None-Match"] = []string{tag}
		}
		if at := f.base.header.Get("Last-Modified"); at != "" {
			r.Header["If-Modified-Since"] = []string{at}
		}
	}
}

// leave takes one off those who wait. What nobody waits for any more ends, but
// for a refresh, which has its own time.
func (f *flight) leave(leads bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.waiting--
	if leads {
		f.leading = false
		switch f.phase {
		case passes:
			f.cancel(errNobody) // first: who writes has to see why that fails
			f.from.CloseWithError(errNobody)
		case errored:
			f.discardLocked()
		}
	}
	if f.waiting == 0 && !f.background && !f.over && (f.phase == asking || f.phase == storing) {
		f.doomed = true
		f.cancel(errNobody)
	}
}

// discardLocked lets the rest of an error go nowhere.
func (f *flight) discardLocked() {
	if f.from != nil {
		f.from.CloseWithError(errDiscarded)
	}
	f.to = nil
}

// leaveMap lets the next request begin a flight of its own.
func (f *flight) leaveMap() {
	f.c.mu.Lock()
	defer f.c.mu.Unlock()
	rest := slices.DeleteFunc(f.c.flights[f.key], func(other *flight) bool { return other == f })
	if len(rest) == 0 {
		delete(f.c.flights, f.key)
	} else {
		f.c.flights[f.key] = rest
	}
}
