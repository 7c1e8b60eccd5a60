package proxy

import (
	"bytes"
	"io"
	"strings"
	"testing"

	"github.com/plimsoll-go/plimsoll"
	"github.com/plimsoll-go/plimsoll/cmd/plimsoll/internal/config"
)

// TestBytesThatWait: what waits is weighed by its header and by the buffer that
// the beginning of its body has, and is refused where that is too much.
func TestBytesThatWait(t *testing.T) {
	backend := newStuck()
	r := start(t, backend, func(s *config.Config) {
		s.Gates[0].Limit, s.Gates[0].MaxWait, s.Gates[0].MaxQueueBytes = 1, patience, 24<<10
	})
	answers := make(chan int, 8)
	send := func(body []byte, headers ...string) {
		req := r.request("/upload", headers...)
		if body != nil {
			req.Method, req.Body, req.ContentLength = "POST", io.NopCloser(bytes.NewReader(body)), int64(len(body))
		}
		go func() {
			a, err := fetch(r.client(), req)
			if err != nil {
				t.Error(err)
				answers <- 0
				return
			}
			answers <- a.StatusCode
		}()
	}
	waiting := func(n int) {
		t.Helper()
		r.until("they wait", func() bool { return r.Snapshot().Depth == n })
	}
	send(nil)
	<-backend.entered
	send(nil, "X-Long", strings.Repeat("x", 2000))
	waiting(1)
	if held := r.Snapshot().QueueBytes; held < 2000 || held > 3000 {
		t.Errorf("a header of 2 kB counts as %d bytes", held)
	}
	send([]byte("a body"))
	waiting(2)
	send(make([]byte, 64<<10)) // of which as much is read as of the other
	waiting(3)
	if held := r.Snapshot().QueueBytes; held < 2000+2*int64(earlyMost) || held > 4000+2*int64(earlyMost) {
		t.Errorf("two bodies and a long header count as %d bytes", held)
	}
	send([]byte("one too many"))
	if got := <-answers; got != 503 || r.refused(plimsoll.QueueFull) != 1 {
		t.Errorf("a third body: answered %d, %d refused as the queue is full", got, r.refused(plimsoll.QueueFull))
	}
	close(backend.let)
	for range 4 {
		if got := <-answers; got != 200 {
			t.Errorf("answered %d", got)
		}
	}
	r.until("nothing is held", func() bool { return r.Snapshot().QueueBytes == 0 })
}
