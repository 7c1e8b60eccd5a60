package proxy

import (
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httputil"
	"strings"
	"sync"
	"time"

	"github.com/plimsoll-go/plimsoll/class"
	"github.com/plimsoll-go/plimsoll/class/wire"
	"github.com/plimsoll-go/plimsoll/cmd/plimsoll/internal/config"
	"github.com/plimsoll-go/plimsoll/cmd/plimsoll/internal/telemetry"
	"github.com/plimsoll-go/plimsoll/httpgate"
	"github.com/plimsoll-go/plimsoll/ladder"
)

// forwarder passes the requests of a route on that are admitted or exempt.
type forwarder struct {
	to        *backend
	wire      wire.Config // how what is left is told
	hopMargin time.Duration
	trust     *config.Trust
	record    *telemetry.Recorder
	log       *slog.Logger
	lines     *lines // of the log, of all routes

	laddered  bool // the gate has tiers
	fallbacks []fallback
}

// handler is the forwarder as it stands behind a gate.
func (f *forwarder) handler() http.Handler {
	return duplex(&httputil.ReverseProxy{
		Rewrite:        f.rewrite,
		Transport:      f,
		BufferPool:     &lent,
		ErrorHandler:   f.onError,
		ModifyResponse: handOver,
		// It logs every caller that leaves in the middle of an answer.
		ErrorLog: slog.NewLogLogger(f.log.Handler(), slog.LevelDebug),
	})
}

// duplex lets an answer begin while its request still arrives. Over HTTP/1.1
// net/http would else read what is left of the body by itself, and the service
// behind would miss it. What is then left unread has to be closed before the
// handler returns (golang/go#68560); ReverseProxy does not.
func duplex(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.ProtoMajor == 1 && r.ContentLength != 0 && http.NewResponseController(w).EnableFullDuplex() == nil {
			defer func(body io.Closer) { _ = body.Close() }(r.Body) // a broken one ends with its connection
		}
		w, done := passageOf(w, r)
		defer done()
		next.ServeHTTP(w, r)
	})
}

// rewrite makes the outgoing request. ReverseProxy has removed what a caller
// listed under Connection before, so that nothing set here can be struck out.
func (f *forwarder) rewrite(r *httputil.ProxyRequest) {
	r.Out.Host = r.In.Host
	r.Out.URL.RawQuery = r.In.URL.RawQuery // as it came; nothing here reads it
	f.record.Inject(r.In.Context(), r.Out.Header)
	f.forwarded(r)

	left, ok := f.budget(r.In.Context())
	if !ok {
		left = class.Forever
	}
	f.wire.Write(r.Out.Header, wire.From(r.In.Context()), left)
	if f.laddered {
		f.degraded(r.Out.Header, ladder.From(r.In.Context()))
	}
}

// forwarded says who asked. What a trusted hop has said before is kept.
func (f *forwarder) forwarded(r *httputil.ProxyRequest) {
	if !trusts(f.trust, r.In) {
		wire.Scrub(r.Out.Header)
		setForwarded(r)
		return
	}
	for _, name := range []string{"X-Forwarded-For", "Forwarded"} {
		if v, ok := r.In.Header[name]; ok {
			r.Out.Header[name] = v // setForwarded adds to the first
		}
	}
	setForwarded(r)
	for _, name := range []string{"X-Forwarded-Host", "X-Forwarded-Proto"} {
		if v, ok := r.In.Header[name]; ok {
			r.Out.Header[name] = v
		}
	}
}

// handOver moves the header of an answer into that of the answer to the caller.
// ReverseProxy would copy it value by value. It looks for event streams, which
// it flushes at once, by their type: that stays.
func handOver(resp *http.Response) error {
	b, ok := httpgate.BoundOf(resp.Request.Context())
	if !ok || resp.StatusCode == http.StatusSwitchingProtocols {
		return nil
	}
	to := b.Header()
	if to == nil {
		return nil
	}
	var left http.Header
	for name, values := range resp.Header {
		if name == "Content-Type" && strings.Contains(strings.ToLower(values[0]), "event-stream") {
			left = http.Header{name: values}
			continue
		}
		if before, there := to[name]; there {
			values = append(before[:len(before):len(before)], values...)
		}
		to[name] = values
	}
	resp.Header = left
	return nil
}

// setForwarded is ProxyRequest.SetXForwarded with one allocation for three.
func setForwarded(r *httputil.ProxyRequest) {
	h, values := r.Out.Header, new([2]string)
	if client, _, err := net.SplitHostPort(r.In.RemoteAddr); err == nil {
		if before := h["X-Forwarded-For"]; len(before) > 0 {
			client = strings.Join(before, ", ") + ", " + client
		}
		values[0] = client
		h["X-Forwarded-For"] = values[0:1:1]
	} else {
		delete(h, "X-Forwarded-For")
	}
	values[1] = r.In.Host
	h["X-Forwarded-Host"] = values[1:2:2]
	h["X-Forwarded-Proto"] = plainProto
	if r.In.TLS != nil {
		h["X-Forwarded-Proto"] = secureProto
	}
}

var plainProto, secureProto = []string{"http"}, []string{"https"}

// dropUpgrade takes from the protocols that a request offers to change to those
// which cannot be passed on: HTTP/2 (RFC 7540 3.2, struck by RFC 9113), and what
// is no protocol's name. Where nothing is left, it is a plain request.
func dropUpgrade(h http.Header) {
	var left []string
	for _, line := range h["Upgrade"] {
		for offer := range strings.SplitSeq(line, ",") {
			offer = strings.TrimSpace(offer)
			if offer != "" && !strings.EqualFold(offer, "h2c") && strings.Trim(offer, printable) == "" {
				left = append(left, offer)
			}
		}
	}
	h.Del("Http2-Settings")
	if left == nil {
		h.Del("Upgrade")
		return
	}
	h["Upgrade"] = []string{strings.Join(left, ", ")}
}

// printable are the bytes of a protocol's name and version (RFC 9110 7.8).
const printable = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789!#$%&'*+-.^_`|~/"

// buffers lends the buffers that bodies are copied through.
type buffers struct{ pool sync.Pool }

// lent are those of all routes.
var lent buffers

const bufferSize = 32 << 10

func (b *buffers) Get() []byte {
	if v, ok := b.pool.Get().(*[bufferSize]byte); ok {
		return v[:]
	}
	return make([]byte, bufferSize)
}

func (b *buffers) Put(v []byte) { b.pool.Put((*[bufferSize]byte)(v)) }
