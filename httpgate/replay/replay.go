// Package replay sends the body of a request again: [Body] gives it out to one
// attempt after the other.
package replay

import (
	"errors"
	"io"
	"net/http"
	"sync"
)

// Body is the body of a request, for as many attempts as it takes. A body
// that the request can make anew (GetBody) costs nothing to keep; of another, what
// has been read is kept up to a bound. It is passed on as it comes: nothing waits
// until it is whole. One whose length is known ends there, whatever may follow.
//
// It is safe for concurrent use, and what it gives out may be read and closed by
// another goroutine. Of a body that is kept, there is one reader at a time.
type Body struct {
	source io.ReadCloser // nil: there is no body
	again  func() (io.ReadCloser, error)
	bound  int64
	size   int64 // of the whole; 0 or less: not known

	kept []byte // what has been read of source; belongs to the open reader

	mu       sync.Mutex
	begun    bool    // a reader has been given out
	last     *reader // the latest; nil: it is closed
	ended    bool    // it has read all there is, and reads no more
	reading  bool    // or reads on while it is being closed
	over     bool    // more has been read than is kept, or is known to come
	finished bool    // there will be no other reader
}

// Of returns the body of a request. No more than bound bytes are kept: one that
// is known to be longer is sent once.
func Of(r *http.Request, bound int64) *Body {
	p := &Body{again: r.GetBody, bound: bound, size: r.ContentLength}
	if r.Body != nil && r.Body != http.NoBody {
		p.source = r.Body
		p.over = p.again == nil && r.ContentLength > bound
	}
	return p
}

// Possible reports whether the body can be sent again. One that is still being
// sent cannot.
func (p *Body) Possible() bool {
	if p.source == nil || p.again != nil {
		return true
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.free() && !p.over
}

// free reports whether nobody reads any more. It needs p.mu.
func (p *Body) free() bool { return (p.last == nil || p.ended) && !p.reading }

var errOnce = errors.New("replay: the body cannot be sent again")

// Made reports whether the body can be made anew, and is not kept here.
func (p *Body) Made() bool { return p.again != nil }

// Next returns the body for an attempt, which closes it.
func (p *Body) Next() (io.ReadCloser, error) {
	if p.source == nil {
		return http.NoBody, nil
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	switch {
	case p.again != nil && !p.begun:
		p.begun = true
		return p.source, nil
	case p.again != nil:
		return p.again()
	}
	if !p.free() || p.over && p.begun {
		return nil, errOnce
	}
	p.begun, p.ended, p.last = true, false, &reader{p: p}
	return p.last, nil
}

// Finish closes the body as soon as the last attempt has.
func (p *Body) Finish() {
	if p.source == nil {
		return
	}
	p.mu.Lock()
	p.finished = true
	open := p.last != nil || p.again != nil && p.begun // and then its attempt closes it
	p.mu.Unlock()
	if !open {
		p.source.Close()
	}
}

// reader is the body of one attempt.
type reader struct {
	p      *Body
	at     int // in what is kept
	closed bool
}

// Read reads what is kept, and then what has not been read before.
func (r *reader) Read(b []byte) (int, error) {
	p := r.p
	p.mu.Lock()
	if r.closed {
		p.mu.Unlock()
		return 0, http.ErrBodyReadAfterClose
	}
	if p.last != r || p.ended {
		p.mu.Unlock()
		return 0, io.EOF // it has been there, and the next attempt may be reading
	}
	p.reading = true
	over := p.over
	p.mu.Unlock()
	var n int
	var err error
	if r.at < len(p.kept) {
		n = copy(b, p.kept[r.at:])
	} else if n, err = p.source.Read(b); !over {
		if over = int64(len(p.kept)+n) > p.bound; over {
			p.kept, r.at = nil, 0
		} else {
			p.kept = append(p.kept, b[:n]...)
		}
	}
	if !over {
		r.at += n
	}
	p.mu.Lock()
	p.reading, p.over = false, over
	// Whoever sends a body of a known length looks for its end afterwards: its
	// answer may be there first.
	p.ended = err == io.EOF || !over && p.size > 0 && int64(r.at) == p.size
	p.mu.Unlock()
	return n, err
}

// Close ends the attempt's part in it.
func (r *reader) Close() error {
	p := r.p
	p.mu.Lock()
	if r.closed {
		p.mu.Unlock()
		return nil
	}
	r.closed = true
	latest := p.last == r
	if latest {
		p.last = nil
	}
	finished := p.finished
	p.mu.Unlock()
	if latest && finished {
		return p.source.Close()
	}
	return nil
}
