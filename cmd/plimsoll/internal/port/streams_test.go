package port

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"net/http/httptrace"
	"strings"
	"testing"

	"github.com/plimsoll-go/plimsoll"
	"github.com/plimsoll-go/plimsoll/httpgate"
	"github.com/plimsoll-go/plimsoll/limit"
)

const upload = 10 << 20

var large = make([]byte, upload)

// shop is a port with two gates behind: one for /upload, that is full until
// let is called, and one that has room.
func shop(t *testing.T, maxStreams int, queue plimsoll.Config) (p *Port, full *plimsoll.Gate, let func()) {
	t.Helper()
	queue.Limit, queue.NoPrediction = limit.NewFixed(1), true
	full, err := plimsoll.New(queue)
	if err != nil {
		t.Fatal(err)
	}
	room, err := plimsoll.New(plimsoll.Config{})
	if err != nil {
		t.Fatal(err)
	}
	held, err := full.Acquire(t.Context(), plimsoll.Work{})
	if err != nil {
		t.Fatal(err)
	}
	count := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		n, err := io.Copy(io.Discard, r.Body)
		fmt.Fprint(w, n, " ", err)
	})
	mux := http.NewServeMux()
	mux.Handle("/upload", httpgate.Handler(full, count))
	mux.Handle("/", httpgate.Handler(room, count))
	return open(t, Config{MaxStreams: maxStreams}, mux), full, func() { held.Release(plimsoll.Ignored) }
}

// h2 sends requests on one HTTP/2 connection and checks that it stays one.
type h2 struct {
	*testing.T
	c     *http.Client
	url   string
	local string // the address of the connection
}

func connect(t *testing.T, p *Port) *h2 {
	c := client(t, true)
	c.Transport.(*http.Transport).HTTP2 = &http.HTTP2Config{StrictMaxConcurrentRequests: true}
	return &h2{T: t, c: c, url: "http://" + p.Addr().String()}
}

func (h *h2) send(method, path string, body io.Reader) string {
	h.Helper()
	req, err := http.NewRequest(method, h.url+path, body)
	if err != nil {
		h.Fatal(err)
	}
	local := ""
	req = req.WithContext(httptrace.WithClientTrace(h.Context(), &httptrace.ClientTrace{
		GotConn: func(i httptrace.GotConnInfo) { local = i.Conn.LocalAddr().String() },
	}))
	resp, err := h.c.Do(req)
	if err != nil {
		h.Errorf("%s %s: %v", method, path, err)
		return ""
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err != nil || path != "/upload" && local != h.local && h.local != "" {
		h.Errorf("%s %s on %s, not %s: %v", method, path, local, h.local, err)
	}
	if h.local == "" {
		h.local = local
	}
	return fmt.Sprint(resp.StatusCode, " ", string(text))
}

// others sends what else is going on on the connection: small requests with
// and without a body, one after the other. What is held up runs into the time
// that the client has.
func (h *h2) others() {
	h.Helper()
	for i := range 49 {
		if got := h.send("GET", "/", nil); got != "200 0 <nil>" {
			h.Fatalf("GET %d: %q", i, got)
		}
		if got := h.send("POST", "/", strings.NewReader(strings.Repeat("x", 1000))); got != "200 1000 <nil>" {
			h.Fatalf("POST %d: %q", i, got)
		}
	}
}

// An upload that waits for its turn, unread, does not hold up what else is on
// its connection: it has had its own window, and there is one for the others.
func TestB74QueuedUpload(t *testing.T) {
	for _, maxStreams := range []int{5, 250} {
		p, full, let := shop(t, maxStreams, plimsoll.Config{MaxWait: patience})
		h := connect(t, p)
		h.send("GET", "/", nil)
		done := make(chan string, 2)
		for range 2 {
			go func() { done <- h.send("POST", "/upload", bytes.NewReader(large)) }()
		}
		until(t, "both wait", func() bool { return full.Snapshot().Depth == 2 })
		h.others()
		if n := full.Snapshot().Depth; n != 2 {
			t.Errorf("%d still wait", n)
		}
		let()
		for range 2 {
			if got := <-done; got != fmt.Sprintf("200 %d <nil>", upload) {
				t.Errorf("max streams %d: the upload got %q", maxStreams, got)
			}
		}
		until(t, "the gate is at rest", func() bool { s := full.Snapshot(); return s.InFlight == 0 && s.Depth == 0 })
	}
}

// What was refused unread leaves its connection as it was, however often.
func TestB74RefusedUploads(t *testing.T) {
	for _, maxStreams := range []int{5, 250} {
		p, full, let := shop(t, maxStreams, plimsoll.Config{MaxQueue: -1})
		h := connect(t, p)
		h.send("GET", "/", nil)
		for i := range 2 * connectionWindow / streamWindow { // more than the window of the connection, if none of it came back
			if got := h.send("POST", "/upload", bytes.NewReader(large)); got != "503 refused: busy\n" {
				t.Fatalf("max streams %d: upload %d got %q", maxStreams, i, got)
			}
		}
		h.others()
		if n := full.Snapshot().HighInFlight; n != 1 {
			t.Errorf("%d had a slot", n)
		}
		let()
	}
}
