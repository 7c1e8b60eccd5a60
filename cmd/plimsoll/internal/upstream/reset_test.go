package upstream

import (
	"bufio"
	"crypto/tls"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	h2 "golang.org/x/net/http2"
	"golang.org/x/net/http2/hpack"

	"github.com/plimsoll-go/plimsoll/cmd/plimsoll/internal/config"
)

// framed starts a server of HTTP/2 that answers a request for / with 200, and
// leaves every other one to reply, once its header is there. It returns the
// endpoint.
func framed(t testing.TB, reply func(f *h2.Framer, stream uint32)) string {
	t.Helper()
	return "h2c://" + accepting(t, func(conn net.Conn) { frames(conn, reply) })
}

// framedTLS is framed over TLS, and names a file with its certificate as well.
func framedTLS(t testing.TB, reply func(f *h2.Framer, stream uint32)) (endpoint, ca string) {
	t.Helper()
	s := httptest.NewUnstartedServer(nil)
	s.Config.TLSNextProto = map[string]func(*http.Server, *tls.Conn, http.Handler){
		"h2": func(_ *http.Server, conn *tls.Conn, _ http.Handler) { frames(conn, reply) },
	}
	s.TLS = &tls.Config{NextProtos: []string{"h2"}}
	s.StartTLS()
	t.Cleanup(s.Close)
	return s.URL, certificateOf(t, s)
}

// frames serves one connection of [framed].
func frames(conn net.Conn, reply func(f *h2.Framer, stream uint32)) {
	defer conn.Close()
	in := bufio.NewReader(conn)
	if _, err := in.Discard(len(h2.ClientPreface)); err != nil {
		return
	}
	f := h2.NewFramer(conn, in)
	f.ReadMetaHeaders = hpack.NewDecoder(4096, nil)
	_ = f.WriteSettings()
	for {
		frame, err := f.ReadFrame()
		if err != nil {
			return
		}
		switch frame := frame.(type) {
		case *h2.SettingsFrame:
			if !frame.IsAck() {
				_ = f.WriteSettingsAck()
			}
		case *h2.PingFrame:
			_ = f.WritePing(true, frame.Data)
		case *h2.MetaHeadersFrame:
			if frame.PseudoValue("path") == "/" {
				answers200(f, frame.StreamID)
			} else {
				reply(f, frame.StreamID)
			}
		}
	}
}

// answers200 answers 200, without a body.
func answers200(f *h2.Framer, stream uint32) {
	ok := []byte{0x88} // :status 200, RFC 7541, appendix A
	_ = f.WriteHeaders(h2.HeadersFrameParam{StreamID: stream, BlockFragment: ok, EndHeaders: true, EndStream: true})
}

// resets resets a stream.
func resets(code h2.ErrCode) func(*h2.Framer, uint32) {
	return func(f *h2.Framer, stream uint32) { _ = f.WriteRSTStream(stream, code) }
}

// leaves says that it has not looked at a stream, and will at no other.
func leaves(f *h2.Framer, stream uint32) {
	_ = f.WriteGoAway(max(stream, 2)-2, h2.ErrCodeNo, nil)
}

// post is a request whose body cannot be sent again.
func post(t *testing.T, path, body string) *http.Request {
	r := request(t.Context(), t, "POST", body)
	r.URL.Path, r.URL.RawQuery = path, ""
	if body != "" {
		r.Body, r.GetBody = io.NopCloser(strings.NewReader(body)), nil
	}
	return r
}

// A stream that is reset on a connection that goes on says more of its request
// than of the endpoint, which answers others; where that answers nobody, it is
// as broken as any other.
func TestStreamsThatAreReset(t *testing.T) {
	for name, c := range map[string]struct {
		reply func(*h2.Framer, uint32)
		body  string
		want  Counts // of three requests
		error Error
	}{
		"PROTOCOL_ERROR":               {resets(h2.ErrCodeProtocol), "", Counts{Failed: 3}, Error{Dropped: true}},
		"PROTOCOL_ERROR, with a body":  {resets(h2.ErrCodeProtocol), "x", Counts{Failed: 3}, Error{Dropped: true}},
		"CANCEL":                       {resets(h2.ErrCodeCancel), "", Counts{Failed: 3}, Error{Dropped: true}},
		"NO_ERROR":                     {resets(h2.ErrCodeNo), "", Counts{Failed: 3}, Error{Dropped: true}},
		"REFUSED_STREAM":               {resets(h2.ErrCodeRefusedStream), "", Counts{Refused: 3}, Error{Untouched: true}},
		"REFUSED_STREAM, with a body":  {resets(h2.ErrCodeRefusedStream), "x", Counts{Refused: 3}, Error{Untouched: true}},
		"ENHANCE_YOUR_CALM":            {resets(h2.ErrCodeEnhanceYourCalm), "x", Counts{Refused: 3}, Error{Overloaded: true}},
		"GOAWAY before it, and a body": {leaves, "x", Counts{}, Error{Untouched: true}},
	} {
		t.Run(name, func(t *testing.T) {
			r := serve(t, func(u *config.Upstream) {
				u.Ejection = config.Ejection{Failures: 3, Time: time.Hour, AtMost: 100}
			}, framed(t, c.reply))
			well := func() {
				if _, _, fault := r.outcome(post(t, "/", "")); fault != nil {
					t.Fatal(fault)
				}
			}
			well()
			for range 3 {
				_, _, fault := r.outcome(post(t, "/odd", c.body))
				if fault == nil || fault.Kind != Broken || fault.Untouched != c.error.Untouched ||
					fault.Overloaded != c.error.Overloaded || fault.Dropped != c.error.Dropped {
					t.Errorf("%+v", fault)
				}
			}
			got := r.Snapshot().Endpoints[0]
			if got.Failed != c.want.Failed || got.Refused != c.want.Refused || got.Ejections != 0 {
				t.Errorf("%+v, want %+v", got, c.want)
			}
			well()
		})
	}
}

// So it is where a request may be sent less often than net/http would.
func TestStreamsThatAreResetOnce(t *testing.T) {
	for code, untouched := range map[h2.ErrCode]bool{h2.ErrCodeRefusedStream: true, h2.ErrCodeProtocol: false} {
		r := serve(t, nil, framed(t, resets(code)))
		for range 3 {
			_, sent, err := r.Once(post(t, "/odd", ""), 0, none, 1)
			var fault *Error
			if !errors.As(err, &fault) || fault.Kind != Broken || fault.Untouched != untouched || fault.Dropped == untouched || sent.Times != 1 {
				t.Errorf("%v: %+v, sent %d times", code, fault, sent.Times)
			}
		}
	}
}

// So it is over TLS, where ALPN has found HTTP/2.
func TestStreamsThatAreResetOverTLS(t *testing.T) {
	endpoint, ca := framedTLS(t, resets(h2.ErrCodeProtocol))
	r := serve(t, func(u *config.Upstream) {
		u.TLS.CA, u.Ejection = ca, config.Ejection{Failures: 1, Time: time.Hour, AtMost: 100}
	}, endpoint)
	for _, path := range []string{"/", "/odd", "/odd", "/"} {
		if _, _, fault := r.outcome(post(t, path, "")); (fault != nil) != (path == "/odd") || fault != nil && fault.Kind != Broken {
			t.Errorf("%s: %v", path, fault)
		}
	}
}

// An endpoint that resets whatever it gets is left out.
func TestResettingEverythingEjects(t *testing.T) {
	r := serve(t, func(u *config.Upstream) {
		u.Ejection = config.Ejection{Failures: 3, Time: time.Millisecond, AtMost: 100}
	}, framed(t, resets(h2.ErrCodeProtocol)))
	r.until("it is out", func() bool {
		_, _, _ = r.outcome(post(t, "/odd", "x"))
		return r.Snapshot().Endpoints[0].Ejections > 0
	})
}

// Where it is not known whether an endpoint speaks HTTP/2, the first bytes that
// it sends tell, in whatever pieces they come.
func TestGreetingInPieces(t *testing.T) {
	for text, want := range map[string]bool{
		"\x00\x00\x06\x04\x00\x00\x00\x00\x00": true, "\x00\x00\x00\x04": true,
		"HTTP/1.1 400 Bad Request\r\n": false, "\x15\x03\x01\x00\x04": false,
	} {
		for size := 1; size <= 5; size++ {
			near, far := net.Pipe()
			var told, speaks atomic.Int32
			c := &greeted{Conn: near, told: func(http2 bool) {
				told.Add(1)
				if http2 {
					speaks.Add(1)
				}
			}}
			go func() {
				for rest := text; rest != ""; {
					n := min(size, len(rest))
					_, _ = io.WriteString(far, rest[:n])
					rest = rest[n:]
				}
				far.Close()
			}()
			if got, err := io.ReadAll(c); string(got) != text || err != nil {
				t.Errorf("%q, %v", got, err)
			}
			if told.Load() != 1 || (speaks.Load() == 1) != want {
				t.Errorf("%q in pieces of %d: told %d times, HTTP/2 %t", text, size, told.Load(), speaks.Load() == 1)
			}
		}
	}
}
