package backend

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"sync/atomic"
	"time"

	"github.com/coder/websocket"
)

// HTTP is the service, and what it has seen. Its paths:
//
//	/work?ms=N     answers "done" after N milliseconds, or not at all if its caller leaves
//	/echo          sends the body back as it comes
//	/sum           reads the body and says how long it was and its SHA-256
//	/bytes?n=N     sends N bytes, those that Bytes reads
//	/events?n=N&ms=M  sends N server-sent events, M milliseconds apart
//	/endless       sends without end, until its caller leaves
//	/socket        a WebSocket that echoes
//	/hints         103 Early Hints, then 200
//	/healthz       answers "ok"
//	/request       says as JSON what arrived: protocol, method, path, host and headers
//
// The zero value is ready for use.
type HTTP struct {
	Hits      atomic.Int64 // requests begun
	Now       atomic.Int64 // of which are still here
	Cancelled atomic.Int64 // requests whose caller left before their end
	Sent      atomic.Int64 // bytes that /bytes and /endless could write
}

// Request is what /request answers with.
type Request struct {
	Proto, Method, URI, Host string
	Header                   http.Header
}

// ServeHTTP serves one request.
func (h *HTTP) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	h.Hits.Add(1)
	h.Now.Add(1)
	defer h.Now.Add(-1)
	defer func() {
		if r.Context().Err() != nil {
			h.Cancelled.Add(1)
		}
	}()
	switch r.URL.Path {
	case "/work":
		if pause(r, number(r, "ms")) {
			fmt.Fprint(w, "done")
		}
	case "/echo":
		echo(w, r)
	case "/sum":
		sum := sha256.New()
		n, err := io.Copy(sum, r.Body)
		if err != nil {
			return
		}
		fmt.Fprintf(w, "%d %x", n, sum.Sum(nil))
	case "/bytes":
		n := number(r, "n")
		w.Header().Set("Content-Length", strconv.Itoa(n))
		_, _ = io.Copy(counting{w, &h.Sent}, io.LimitReader(NewBytes(), int64(n)))
	case "/endless":
		_, _ = io.Copy(counting{w, &h.Sent}, NewBytes())
		<-r.Context().Done() // neither socket buffers nor the handler's end may hide it
	case "/events":
		events(w, r)
	case "/socket":
		socket(w, r)
	case "/hints":
		w.Header().Set("Link", "</style.css>; rel=preload")
		w.WriteHeader(http.StatusEarlyHints)
		w.Header().Del("Link")
		fmt.Fprint(w, "done")
	case "/healthz":
		fmt.Fprint(w, "ok")
	case "/request":
		w.Header().Set("Content-Type", "application/json")
		_ = json.NewEncoder(w).Encode(Request{r.Proto, r.Method, r.RequestURI, r.Host, r.Header})
	default:
		http.NotFound(w, r)
	}
}

// pause waits, and reports false if the caller left.
func pause(r *http.Request, ms int) bool {
	select {
	case <-time.After(time.Duration(ms) * time.Millisecond):
		return true
	case <-r.Context().Done():
		return false
	}
}

func number(r *http.Request, key string) int {
	n, _ := strconv.Atoi(r.URL.Query().Get(key)) // whatever is none is 0
	return n
}

func echo(w http.ResponseWriter, r *http.Request) {
	c := http.NewResponseController(w)
	_ = c.EnableFullDuplex() // HTTP/2 is so anyway
	buffer := make([]byte, 32<<10)
	for {
		n, err := r.Body.Read(buffer)
		if n > 0 {
			if _, err := w.Write(buffer[:n]); err != nil {
				return
			}
			if err := c.Flush(); err != nil {
				return
			}
		}
		if err != nil {
			return
		}
	}
}

func events(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", "text/event-stream")
	for i := range number(r, "n") {
		if i > 0 && !pause(r, number(r, "ms")) {
			return
		}
		fmt.Fprintf(w, "id: %d\ndata: %d\n\n", i, time.Now().UnixMicro())
		if err := http.NewResponseController(w).Flush(); err != nil {
			return
		}
	}
}

func socket(w http.ResponseWriter, r *http.Request) {
	conn, err := websocket.Accept(w, r, nil)
	if err != nil {
		return // it has been answered
	}
	defer conn.CloseNow()
	conn.SetReadLimit(-1)
	for {
		kind, message, err := conn.Read(r.Context())
		if err != nil {
			return
		}
		if err := conn.Write(r.Context(), kind, message); err != nil {
			return
		}
	}
}
