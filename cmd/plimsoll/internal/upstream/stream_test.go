package upstream

import (
	"context"
	"fmt"
	"hash/crc32"
	"io"
	"math/rand/v2"
	"net/http"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

// ways are the combinations of protocols before and behind the proxy.
func ways(t *testing.T, f func(t *testing.T, h2 bool, scheme string)) {
	for _, h2 := range []bool{false, true} {
		for _, scheme := range []string{"http", "h2c"} {
			t.Run(fmt.Sprintf("h2 %t to %s", h2, scheme), func(t *testing.T) { f(t, h2, scheme) })
		}
	}
}

func as(scheme, url string) string { return scheme + strings.TrimPrefix(url, "http") }

// pattern is a body that is nowhere in memory: n bytes that depend on their
// place.
type pattern struct{ at, n int64 }

// wheel is what a pattern repeats: of a length that no buffer has, so that bytes
// from another place are others.
var wheel = func() []byte {
	b := make([]byte, 65_521)
	rand.NewChaCha8([32]byte{}).Read(b)
	return b
}()

func (p *pattern) Read(b []byte) (int, error) {
	if p.at == p.n {
		return 0, io.EOF
	}
	n := copy(b[:min(int64(len(b)), p.n-p.at)], wheel[p.at%int64(len(wheel)):])
	p.at += int64(n)
	return n, nil
}

// sum reads a body to its end.
func sum(t testing.TB, r io.Reader) string {
	h := crc32.NewIEEE()
	n, err := io.Copy(h, r)
	if err != nil {
		t.Error(err)
	}
	return fmt.Sprintf("%d bytes, %08x", n, h.Sum32())
}

// heapGrowth says by how much the heap grows, at its highest, while f runs.
func heapGrowth(f func()) (most uint64) {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	before := m.HeapInuse
	done := make(chan struct{})
	measured := make(chan struct{})
	go func() {
		defer close(measured)
		again := time.NewTicker(10 * time.Millisecond)
		defer again.Stop()
		for {
			var m runtime.MemStats
			runtime.ReadMemStats(&m)
			most = max(most, m.HeapInuse-min(before, m.HeapInuse))
			select {
			case <-again.C:
			case <-done:
				return
			}
		}
	}()
	f()
	close(done)
	<-measured
	return most
}

// Bodies pass through; they are not gathered. The caller and the service are in
// the same heap here.
func TestB73LargeBodies(t *testing.T) {
	const size, most = 80 << 20, 32 << 20
	want := sum(t, &pattern{n: size})
	ways(t, func(t *testing.T, h2 bool, scheme string) {
		r := serve(t, nil, as(scheme, backend(t, func(w http.ResponseWriter, req *http.Request) {
			if req.Method == "POST" {
				_, _ = io.WriteString(w, sum(t, req.Body))
				return
			}
			if h2 {
				w.Header().Set("Content-Length", fmt.Sprint(size))
			}
			_, _ = io.Copy(w, &pattern{n: size})
		})))
		client := r.client(h2)
		client.Timeout = 0 // with the race detector, on a busy machine, it takes long
		grown := heapGrowth(func() {
			resp, err := client.Get(r.front.URL)
			if err != nil {
				t.Fatal(err)
			}
			if got := sum(t, resp.Body); got != want {
				t.Errorf("down came %s, want %s", got, want)
			}
			resp.Body.Close()
			req := request(t.Context(), t, "POST", "")
			req.URL.Host = r.front.Listener.Addr().String()
			req.Body, req.ContentLength = io.NopCloser(&pattern{n: size}), size
			if h2 {
				req.ContentLength = -1
			}
			resp, err = client.Do(req)
			if err != nil {
				t.Fatal(err)
			}
			got, err := io.ReadAll(resp.Body)
			resp.Body.Close()
			if err != nil || string(got) != want {
				t.Errorf("up went %s, want %s, %v", got, want, err)
			}
		})
		if grown > most {
			t.Errorf("the heap grew by %d MiB", grown>>20)
		}
	})
}

// What comes in pieces goes on in pieces: the next piece is made only when the
// caller has the one before.
func TestB73EachPieceAtOnce(t *testing.T) {
	ways(t, func(t *testing.T, h2 bool, scheme string) {
		next := make(chan struct{}, 1)
		r := serve(t, nil, as(scheme, backend(t, func(w http.ResponseWriter, _ *http.Request) {
			for range next {
				_, _ = io.WriteString(w, "piece\n")
				_ = http.NewResponseController(w).Flush()
			}
			_, _ = io.WriteString(w, "tail") // ended without a flush
		})))
		next <- struct{}{}
		resp, err := r.client(h2).Get(r.front.URL)
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		piece := make([]byte, 6)
		for i := range 5 {
			if i > 0 {
				next <- struct{}{}
			}
			if _, err := io.ReadFull(resp.Body, piece); err != nil || string(piece) != "piece\n" {
				t.Fatalf("%d: %q, %v", i, piece, err)
			}
		}
		close(next)
		if tail, err := io.ReadAll(resp.Body); err != nil || string(tail) != "tail" {
			t.Errorf("%q, %v", tail, err)
		}
	})
}

// steady waits until a count no longer moves, and returns it.
func (r *rig) steady(count *atomic.Int64) int64 {
	r.Helper()
	last, since := int64(-1), time.Now()
	r.until("nothing moves any more", func() bool {
		if now := count.Load(); now != last {
			last, since = now, time.Now()
		}
		return last > 0 && time.Since(since) > 300*time.Millisecond
	})
	return last
}

// held is more than the windows and the buffers of four sockets on the way hold.
const held = 48 << 20

// A reader that stops stops the service: what is on the way is bounded. When it
// leaves, the service is told.
func TestB73SlowReader(t *testing.T) {
	ways(t, func(t *testing.T, h2 bool, scheme string) {
		var written atomic.Int64
		told := make(chan struct{})
		r := serve(t, nil, as(scheme, backend(t, func(w http.ResponseWriter, req *http.Request) {
			defer close(told)
			chunk := make([]byte, 32<<10)
			for written.Load() < 4*held {
				if _, err := w.Write(chunk); err != nil {
					return
				}
				written.Add(int64(len(chunk)))
			}
			t.Error("nothing stopped it")
		})))
		ctx, leave := context.WithCancel(t.Context())
		defer leave()
		req, err := http.NewRequestWithContext(ctx, "GET", r.front.URL, nil)
		if err != nil {
			t.Fatal(err)
		}
		resp, err := r.client(h2).Do(req)
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		if n := r.steady(&written); n > held {
			t.Errorf("%d MiB are on the way", n>>20)
		}
		leave()
		select {
		case <-told:
		case <-time.After(patience):
			t.Error("the service was not told")
		}
		r.atRest()
	})
}

// A service that does not read stops the sender.
func TestB73SlowService(t *testing.T) {
	ways(t, func(t *testing.T, h2 bool, scheme string) {
		stop := make(chan struct{})
		r := serve(t, nil, as(scheme, backend(t, func(_ http.ResponseWriter, req *http.Request) {
			select {
			case <-stop:
			case <-req.Context().Done():
			}
		})))
		var sent atomic.Int64
		req := request(t.Context(), t, "POST", "")
		req.URL.Host = r.front.Listener.Addr().String()
		req.Body, req.ContentLength = io.NopCloser(counted{&pattern{n: 4 * held}, &sent}), -1
		ended := make(chan error, 1)
		go func() {
			resp, err := r.client(h2).Do(req)
			if err == nil {
				err = resp.Body.Close()
			}
			ended <- err
		}()
		if n := r.steady(&sent); n > held {
			t.Errorf("%d MiB are on the way", n>>20)
		}
		close(stop)
		<-ended // answered, or cut while it was sending: both end it
		r.atRest()
	})
}

type counted struct {
	io.Reader
	n *atomic.Int64
}

func (c counted) Read(p []byte) (int, error) {
	n, err := c.Reader.Read(p)
	c.n.Add(int64(n))
	return n, err
}
