package e2e

import (
	"bufio"
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"
)

func TestB14ClientLeavesInTheMiddle(t *testing.T) {
	const rounds = 200
	for name, h2 := range map[string]bool{"HTTP1": false, "h2c": true} {
		t.Run(name, func(t *testing.T) {
			r, h := before(t, "--timeout", "0s")
			c := r.client(h2)
			slow := 0.0
			for i := range int64(rounds) {
				began := time.Now()
				resp, err := c.Get(r.url + "/endless")
				if err != nil {
					t.Fatal(err)
				}
				if _, err := io.CopyN(io.Discard, resp.Body, 10<<10); err != nil {
					t.Fatal(err)
				}
				if err := resp.Body.Close(); err != nil {
					t.Fatal(err)
				}
				r.until("the service knows", func() bool { return h.Cancelled.Load() == i+1 && h.Now.Load() == 0 })
				if time.Since(began) > 100*time.Millisecond {
					slow++ // an answer that nobody takes for so long leaves its slot, which is a sample
				}
			}
			r.atRest()
			m := r.metrics()
			if n := m.Sum("plimsoll_requests_total", `outcome="abandoned"`); n != rounds {
				t.Errorf("%v of %d count as abandoned, %v as failed", n, rounds, m.Sum("plimsoll_requests_total", `outcome="failed"`))
			}
			if n := m.Sum("plimsoll_upstream_errors_total"); n != 0 {
				t.Errorf("%v count against the service", n)
			}
			if n := m.Sum("plimsoll_service_seconds_count"); n > slow {
				t.Errorf("%v samples of service time, and %v have left slowly", n, slow)
			}
			r.quiet()
		})
	}
}

func TestB39DeadlineFreesTheSlot(t *testing.T) {
	r, h := before(t, "--limit", "5", "--max-wait", "0s", "--timeout", "1s")
	for round := range int64(2) {
		ended := make(chan answer, 5)
		for range 5 {
			go func() {
				a, err := r.get(t.Context(), r.client(false), "/work?ms=30000")
				if err != nil {
					t.Error(err)
				}
				ended <- a
			}()
		}
		for range 5 {
			if a := <-ended; a.Response == nil || a.StatusCode != http.StatusGatewayTimeout {
				t.Errorf("answered %+v", a.Response)
			}
		}
		r.until("the service sees that they have gone", func() bool { return h.Cancelled.Load() == 5*(round+1) })
		r.atRest()
		if n := h.Hits.Load(); n != 5*(round+1) {
			t.Errorf("round %d: %d reached the service", round, n)
		}
	}
	r.quiet()
}

func TestB41ClientLeavesWhileQueued(t *testing.T) {
	const queued = 50
	r, h := before(t, "--limit", "1", "--max-wait", "20s", "--max-queue", "100", "--timeout", "30s")
	leaveSlot := occupy(r, h)
	ctx, leave := context.WithCancel(t.Context())
	gone := make(chan error, queued)
	for range queued {
		go func() {
			_, err := r.get(ctx, r.client(false), "/work?ms=1")
			gone <- err
		}()
	}
	r.until("all wait", func() bool { _, depth, _ := r.metrics().Busy(); return depth == queued })
	leave()
	for range queued {
		if err := <-gone; !errors.Is(err, context.Canceled) {
			t.Errorf("a queued client got %v", err)
		}
	}
	r.until("their places are free", func() bool { _, depth, _ := r.metrics().Busy(); return depth == 0 })
	leaveSlot()
	if n := h.Hits.Load(); n != 1 {
		t.Errorf("%d reached the service", n)
	}
	if n := r.metrics().Sum("plimsoll_requests_total", `reason="cancelled"`); n != queued {
		t.Errorf("%v count as gone while queued", n)
	}
	r.quiet()
}

// Go's server takes a connection whose client has closed its sending side for
// gone. That is the documented choice.
func TestH12HalfClose(t *testing.T) {
	r, h := before(t, "--limit", "1")
	conn := r.dial()
	if _, err := io.WriteString(conn, "GET /work?ms=30000 HTTP/1.1\r\nHost: a\r\n\r\n"); err != nil {
		t.Fatal(err)
	}
	r.until("the service has it", func() bool { return h.Now.Load() == 1 })
	if err := conn.CloseWrite(); err != nil {
		t.Fatal(err)
	}
	resp, err := http.ReadResponse(bufio.NewReader(conn), nil)
	if err == nil {
		_ = resp.Body.Close()
		if resp.StatusCode >= 500 {
			t.Errorf("answered %d", resp.StatusCode)
		}
	}
	r.until("the service sees that it has gone", func() bool { return h.Cancelled.Load() == 1 })
	r.atRest()
	if n := r.metrics().Sum("plimsoll_requests_total", `outcome="abandoned"`); n != 1 {
		t.Errorf("%v count as abandoned", n)
	}
	r.quiet()
}

// An upload that breaks off is nobody's failure but its caller's.
func TestUploadBreaksOff(t *testing.T) {
	r, h := before(t)
	for range 20 {
		conn := r.dial()
		hits := h.Hits.Load()
		head := "POST /sum HTTP/1.1\r\nHost: a\r\nContent-Length: 10000000\r\n\r\n"
		if _, err := io.WriteString(conn, head+strings.Repeat("x", 1<<20)); err != nil {
			t.Fatal(err)
		}
		r.until("the service has it", func() bool { return h.Hits.Load() > hits })
		if err := conn.Close(); err != nil {
			t.Fatal(err)
		}
	}
	r.until("the service knows", func() bool { return h.Now.Load() == 0 })
	r.atRest()
	if n := r.metrics().Sum("plimsoll_upstream_errors_total"); n != 0 {
		t.Errorf("%v count against the service", n)
	}
	r.quiet()
}
