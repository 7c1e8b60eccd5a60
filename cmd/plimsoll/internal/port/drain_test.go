package port

import (
	"bufio"
	"context"
	"io"
	"net"
	"net/http"
	"testing"
	"time"
)

// gated is a handler whose requests on /slow wait.
type gated struct{ entered, let chan struct{} }

func newGated() gated { return gated{make(chan struct{}, 10), make(chan struct{})} }

func (g gated) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.URL.Path == "/slow" {
		g.entered <- struct{}{}
		<-g.let
	}
	_, _ = io.WriteString(w, "done")
}

// What runs ends, who is idle is sent off, and who comes meanwhile is answered.
func TestDrain(t *testing.T) {
	for _, http2 := range []bool{false, true} {
		h := newGated()
		p := open(t, Config{}, h)
		url := "http://" + p.Addr().String()
		c := client(t, http2)
		slow := make(chan string, 1)
		go func() {
			_, body := get(t, c, url+"/slow")
			slow <- body
		}()
		<-h.entered
		idle := dial(t, p)
		ask(t, idle)

		drained := make(chan error, 1)
		go func() { drained <- p.Drain(t.Context()) }()
		if n, err := idle.Read(make([]byte, 1)); err != io.EOF {
			t.Errorf("http2 %v: the idle connection: %d, %v", http2, n, err)
		}
		late := client(t, http2)
		for range 3 {
			resp, body := get(t, late, url)
			if body != "done" || !http2 && !resp.Close {
				t.Errorf("http2 %v: who came meanwhile got %q, close %v", http2, body, resp.Close)
			}
		}
		select {
		case err := <-drained:
			t.Fatalf("http2 %v: drained while a request runs: %v", http2, err)
		default:
		}
		close(h.let)
		if got := <-slow; got != "done" {
			t.Errorf("http2 %v: what ran got %q", http2, got)
		}
		if err := <-drained; err != nil {
			t.Error(err)
		}
		if err := p.Finish(t.Context()); err != nil {
			t.Error(err)
		}
		if conn, err := net.Dial("tcp", p.Addr().String()); err == nil {
			conn.Close()
			t.Errorf("http2 %v: it still listens", http2)
		}
	}
}

func TestDrainGivesUpWithItsContext(t *testing.T) {
	h := newGated()
	p := open(t, Config{}, h)
	t.Cleanup(func() { close(h.let) })
	c := dial(t, p)
	if _, err := io.WriteString(c, "GET /slow HTTP/1.1\r\nHost: a\r\n\r\n"); err != nil {
		t.Fatal(err)
	}
	<-h.entered
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	if err := p.Drain(ctx); err != context.DeadlineExceeded {
		t.Errorf("Drain: %v", err)
	}
	if err := p.Close(); err != nil {
		t.Error(err)
	}
	if _, err := http.ReadResponse(bufio.NewReader(c), nil); err == nil {
		t.Error("what was cut got an answer")
	}
}
