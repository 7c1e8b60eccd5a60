package httpgate

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptrace"
	"sync/atomic"
	"time"

	"github.com/plimsoll-go/plimsoll/class"
	"github.com/plimsoll-go/plimsoll/class/wire"
)

// sending is one attempt on its way. Its context is not the attempt's, which
// ends with the attempt: the body of the answer is read after that.
type sending struct {
	wire     *wire.Config
	header   http.Header
	tag      wire.Tag
	deadline time.Time // of the attempt; zero: none
	told     time.Duration
	cancel   context.CancelCauseFunc
	release  func() bool // from the attempt's context

	replays  bool // net/http may send it again though it may have been read
	kept     bool // it has not been handed on
	asked    bool // for a connection
	got      bool
	replayed bool        // net/http was about to
	wrote    atomic.Bool // at least a part may be on the way
	http1    atomic.Bool
}

// errEnded is what is left of an attempt that net/http would have repeated.
var errEnded = errors.New("httpgate: the connection ended before an answer began")

// prepare returns an attempt, and the request that is to be sent for it.
func (c *call) prepare(ctx context.Context, body io.ReadCloser) (*sending, *http.Request) {
	s := &sending{wire: &c.cfg.Wire, header: c.sent.Header.Clone(), tag: wire.From(ctx), replays: replayedByNetHTTP(c.sent)}
	outer := c.sent.Context()
	if s.tag != wire.From(outer) {
		outer = wire.With(outer, s.tag)
	}
	outer, s.cancel = context.WithCancelCause(outer)
	s.release = context.AfterFunc(ctx, func() { s.cancel(context.Cause(ctx)) })
	if s.header == nil {
		s.header = make(http.Header)
	}
	s.tag.Attempt = max(s.tag.Attempt, 1)
	s.deadline, _ = ctx.Deadline()
	s.tell(s.left())
	r := c.sent.WithContext(httptrace.WithClientTrace(outer, &httptrace.ClientTrace{
		GetConn:          func(string) { s.asked = true },
		GotConn:          s.connected,
		WroteHeaderField: func(key string, _ []string) { s.http1.Store(key != "" && key[0] != ':') },
		WroteHeaders:     func() { s.wrote.Store(true) },
		// After an answer net/http repeats nothing: what follows is another request,
		// of a round tripper that has asked for a token or been challenged.
		GotFirstResponseByte: func() { s.wrote.Store(false) },
	}))
	r.Header, r.Body = s.header, body
	if !c.body.Made() {
		r.GetBody = nil
	}
	return s, r
}

func (s *sending) left() time.Duration {
	if s.deadline.IsZero() {
		return class.Forever
	}
	return time.Until(s.deadline)
}

// tell writes the headers for the next hop.
func (s *sending) tell(left time.Duration) {
	s.told = left
	s.wire.Write(s.header, s.tag, left)
}

// connected is called before a request is written to a connection: here, and
// not when it was asked for, it is known what is left. net/http calls it while
// nobody else reads the header, also before it repeats a request.
func (s *sending) connected(info httptrace.GotConnInfo) {
	s.got = true
	if s.replays && s.wrote.Load() {
		s.replayed = true
		s.cancel(errEnded)
		// HTTP/2 looks at the context before it writes. HTTP/1 does not.
		if s.http1.Load() {
			info.Conn.Close()
		}
		return
	}
	left := s.left()
	if left < least {
		s.cancel(context.DeadlineExceeded) // where it is written all the same, it says that it has expired
	}
	if s.told-left >= least {
		s.tell(left)
	}
}

// end is the end of waiting for an answer, and what the attempt ends with.
func (s *sending) end(ctx context.Context, err error) error {
	waiting := s.release()
	switch {
	case s.replayed && err != nil:
		return errEnded
	case err == nil && !waiting:
		return context.Cause(ctx)
	case ctx.Err() == context.DeadlineExceeded && errors.Is(err, context.Canceled):
		return context.DeadlineExceeded // HTTP/2 says only that the context has ended
	}
	return err
}

// unsent reports whether nothing of it has reached anybody.
func (s *sending) unsent(err error) bool {
	var op *net.OpError
	return s.kept || s.asked && !s.got || errors.As(err, &op) && op.Op == "dial"
}
