package proxy

import (
	"bytes"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"net/http"
	"runtime"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/plimsoll-go/plimsoll/internal/deaf"
)

// sum answers with the hash of what it got, and counts the bytes.
func sum(bytes *atomic.Int64) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		h := sha256.New()
		n, err := io.Copy(h, r.Body)
		bytes.Add(n)
		if err == nil {
			fmt.Fprint(w, hex.EncodeToString(h.Sum(nil)))
		}
	}
}

// hangUp ends the connection that a request came on, without an answer.
func hangUp(w http.ResponseWriter) {
	conn, _, err := http.NewResponseController(w).Hijack()
	if err == nil {
		conn.Close()
	}
}

// sending is a request with a body of so many bytes, and their hash.
func (r *rig) sending(method string, size int, chunked bool) (*http.Request, string) {
	r.Helper()
	data := make([]byte, size)
	rand.Read(data)
	req, err := http.NewRequestWithContext(r.Context(), method, r.url, bytes.NewReader(data))
	if err != nil {
		r.Fatal(err)
	}
	if chunked {
		req.ContentLength = -1
	}
	hash := sha256.Sum256(data)
	return req, hex.EncodeToString(hash[:])
}

// A is not there and B is: whatever the body, it gets to B as a whole, a longer
// one than is kept as well. Nothing of it was read for A, so nothing has to be
// replayed: to answer 502 here, as proxies that do not look must, would fail a
// request that can be served. What A has broken off goes to B only if it was
// kept; if not, there is no second attempt and not one byte reaches B.
func TestB16BodiesAreSentAgainUpToABound(t *testing.T) {
	const bound = 64 << 10
	for _, c := range []struct {
		name    string
		size    int
		chunked bool
		kept    bool
	}{
		{"within", bound, false, true},
		{"over", bound + 1, false, false},
		{"chunked", bound, true, true},
		{"chunked and over", bound + 1, true, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			var got atomic.Int64
			r := play(t, `upstreams: {shop: {endpoints: ["http://`+deaf.Address(t)+`", http://shop], ejection: none, retries: {attempts: 2, reserve: 100}}}`,
				map[string]http.Handler{"shop": sum(&got)})
			for range 8 {
				req, hash := r.sending("POST", c.size, c.chunked)
				if a := r.send(r.client(), req); a.StatusCode != 200 || a.body != hash {
					t.Errorf("A refuses: %d %q", a.StatusCode, a.body)
				}
			}

			var first atomic.Bool
			got.Store(0)
			broken := func(w http.ResponseWriter, req *http.Request) {
				if first.Swap(true) {
					sum(&got)(w, req)
					return
				}
				io.Copy(io.Discard, req.Body)
				hangUp(w)
			}
			r = play(t, `upstreams: {shop: {endpoints: [http://a, http://b], retries: {attempts: 2, reserve: 100}}}`,
				map[string]http.Handler{"a": http.HandlerFunc(broken), "b": http.HandlerFunc(broken)})
			req, hash := r.sending("PUT", c.size, c.chunked)
			a := r.send(r.client(), req)
			if c.kept && (a.StatusCode != 200 || a.body != hash) {
				t.Errorf("A breaks off: %d %q", a.StatusCode, a.body)
			}
			if !c.kept && (a.StatusCode != 502 || got.Load() != 0) {
				t.Errorf("A breaks off: %d, and %d bytes reach B", a.StatusCode, got.Load())
			}
		})
	}
}

// What may have been read is sent again only if that does no harm, and never
// more often than the settings say, whatever net/http does by itself.
func TestB17OnlyWhatMayBeSentAgainIs(t *testing.T) {
	const attempts = 3
	hold := make(chan struct{})
	for _, c := range []struct {
		name, method, keys string
		serve              func(w http.ResponseWriter, r *http.Request)
		status, least      int
		most               int
	}{
		{"POST read and closed", "POST", "", func(w http.ResponseWriter, _ *http.Request) { hangUp(w) }, 502, 1, 1},
		{"POST opted in", "POST", ", methods: [POST]", func(w http.ResponseWriter, _ *http.Request) { hangUp(w) }, 502, 2, attempts},
		{"GET read and closed", "GET", "", func(w http.ResponseWriter, _ *http.Request) { hangUp(w) }, 502, 2, attempts},
		{"POST over its time", "POST", ", attemptTimeout: 500ms, causes: [timeout]", func(_ http.ResponseWriter, r *http.Request) { held(r, hold) }, 504, 1, 1},
		{"GET over its time", "GET", ", attemptTimeout: 500ms, causes: [timeout]", func(_ http.ResponseWriter, r *http.Request) { held(r, hold) }, 504, attempts, attempts},
		{"GET 404", "GET", "", func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(404) }, 404, 1, 1},
		{"GET 500", "GET", "", func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(500) }, 500, 1, 1},
		{"GET 503", "GET", "", func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(503) }, 503, attempts, attempts},
		{"PUT 503 and a text", "PUT", "", func(w http.ResponseWriter, _ *http.Request) { http.Error(w, "not now", http.StatusServiceUnavailable) }, 503, attempts, attempts},
		{"GET 503 with a time", "GET", "", func(w http.ResponseWriter, _ *http.Request) { w.Header().Set("Retry-After", "1"); w.WriteHeader(503) }, 503, 1, 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			var hits, warm atomic.Int64
			allWarm := make(chan struct{})
			r := play(t, `upstreams: {shop: {endpoints: [http://shop], ejection: none, retries: {attempts: 3, reserve: 100, backoff: 1ms`+c.keys+`}}}`,
				map[string]http.Handler{"shop": http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
					if req.URL.Path == "/warm" { // leaves connections that are kept, and closed when they are used again
						if warm.Add(1) == 4 { // attempts: there may be more
							close(allWarm)
						}
						held(req, allWarm)
						return
					}
					io.Copy(io.Discard, req.Body)
					hits.Add(1)
					c.serve(w, req)
				})})
			var warming sync.WaitGroup
			for range 4 {
				warming.Go(func() { r.send(r.client(), r.request("/warm")) })
			}
			warming.Wait()
			req, err := http.NewRequestWithContext(t.Context(), c.method, r.url, nil)
			if c.method != "GET" {
				req, _ = r.sending(c.method, 1000, false)
			}
			if err != nil {
				t.Fatal(err)
			}
			a := r.send(r.client(), req)
			if n := int(hits.Load()); a.StatusCode != c.status || n < c.least || n > c.most {
				t.Errorf("%d after %d hits, want %d after %d to %d", a.StatusCode, n, c.status, c.least, c.most)
			}
		})
	}
}

// A body of a known length is sent again once all of it has been sent, whether
// or not net/http has looked for its end by the time of the answer: there are
// as many attempts every time, over both protocols and at any size.
func TestBodiesThatWereSentAreSentAgain(t *testing.T) {
	const attempts = 3
	for _, endpoint := range []string{"http://shop", "h2c://shop"} {
		var hits, whole atomic.Int64
		r := play(t, `upstreams: {shop: {endpoints: [`+endpoint+`], ejection: none, retries: {attempts: 3, reserve: 1000, backoff: 0}}}`,
			map[string]http.Handler{"shop": http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
				hits.Add(1)
				n, _ := io.Copy(io.Discard, req.Body)
				whole.Add(n)
				http.Error(w, "not now", http.StatusServiceUnavailable)
			})})
		for _, client := range []*http.Client{r.client(), r.clientH2()} {
			for _, size := range []int{1, 3000, 5000, 64 << 10} {
				for range 5 {
					hits.Store(0)
					whole.Store(0)
					req, _ := r.sending("PUT", size, false)
					if a := r.send(client, req); a.StatusCode != 503 || hits.Load() != attempts || whole.Load() != int64(attempts*size) {
						t.Errorf("%s, %d bytes: %d after %d hits and %d bytes", endpoint, size, a.StatusCode, hits.Load(), whole.Load())
					}
				}
			}
		}
	}
}

// held holds a request until its caller has gone.
func held(r *http.Request, until chan struct{}) {
	select {
	case <-r.Context().Done():
	case <-until:
	}
}

// Two proxies, each of which would make four attempts, make four together; and
// none of what was refused for overload. The attempts are numbered.
func TestB44OneLayerRetries(t *testing.T) {
	for _, c := range []struct {
		name   string
		header [2]string
		hits   int
	}{
		{"plain 503", [2]string{"X-Nothing", "1"}, 4},
		{"503 with Retry-After", [2]string{"Retry-After", "1"}, 1},
		{"503 with Retry-After: 0", [2]string{"Retry-After", "0"}, 4},
		{"a gate's", [2]string{"Proxy-Status", "plimsoll; error=connection_limit_reached"}, 1},
		{"Envoy's", [2]string{"X-Envoy-Overloaded", "true"}, 1},
		{"given up below", [2]string{"Plimsoll-Gave-Up", "no_attempts"}, 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			var mu sync.Mutex
			var numbers []string
			settings := `trust: {everyone: true}
upstreams: {shop: {endpoints: [http://shop], retries: {attempts: 4, reserve: 100, backoff: 1ms}}}`
			inner := play(t, settings, map[string]http.Handler{"shop": http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				mu.Lock()
				numbers = append(numbers, r.Header.Get("X-Request-Attempt"))
				mu.Unlock()
				w.Header().Set(c.header[0], c.header[1])
				w.WriteHeader(503)
			})})
			outer := play(t, `trust: {everyone: true}
upstreams: {shop: {endpoints: ["`+inner.url+`"], retries: {attempts: 4, reserve: 100, backoff: 1ms}}}`, nil)
			a := outer.send(outer.client(), outer.request("/"))
			if a.StatusCode != 503 || len(numbers) != c.hits {
				t.Errorf("%d after attempts %q, want %d", a.StatusCode, numbers, c.hits)
			}
			for i, n := range numbers[min(1, len(numbers)):] {
				if n != strconv.Itoa(i+2) {
					t.Errorf("attempts are numbered %q", numbers)
				}
			}
			if a.Header.Get("Plimsoll-Gave-Up") == "" {
				t.Error("nobody says that it was given up")
			}
		})
	}
}

// A caller can have fewer attempts made for it, not more.
func TestH20AttemptsAreOnlyLowered(t *testing.T) {
	for number, want := range map[string]int64{
		"": 3, "1": 3, "2": 2, "3": 1, "99": 1, "0": 3, "-5": 3, "x": 3, "4294967297": 1, "99999999999999999999": 3,
	} {
		var hits atomic.Int64
		r := play(t, `upstreams: {shop: {endpoints: [http://shop], retries: {reserve: 100, backoff: 1ms}}}`,
			map[string]http.Handler{"shop": http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				hits.Add(1)
				w.WriteHeader(503)
			})})
		req := r.request("/", "Plimsoll-Gave-Up", "x", "X-Envoy-Max-Retries", "1000000", "X-Envoy-Retry-On", "5xx", "Retry-After", "0")
		if number != "" {
			req.Header.Set("X-Request-Attempt", number)
		}
		if r.send(r.client(), req); hits.Load() != want {
			t.Errorf("attempt %q: %d hits, want %d", number, hits.Load(), want)
		}
	}
}

// Whatever a caller says of its attempts and of what was given up, the budget is
// the same, and an open breaker stays in its way.
func TestH20NothingSkipsTheBudget(t *testing.T) {
	const requests = 300
	var hits atomic.Int64
	r := play(t, `upstreams: {shop: {endpoints: [http://shop], ejection: none, retries: {reserve: 0, backoff: 0}, breaker: {consecutive: 400, failures: 0%, open: 1h}}}`,
		map[string]http.Handler{"shop": http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			hits.Add(1)
			w.WriteHeader(503)
		})})
	client := r.client()
	ask := func(i int) answer {
		return r.send(client, r.request("/", "X-Request-Attempt", strconv.Itoa(i%5-2), "Grpc-Previous-Rpc-Attempts", "-1",
			"Plimsoll-Gave-Up", "none", "Plimsoll-Degrade", "everything", "Retry-After", "0", "Grpc-Retry-Pushback-Ms", "0",
			"X-Envoy-Max-Retries", "1000000", "X-Envoy-Overloaded", "true", "Proxy-Status", "plimsoll; error=connection_limit_reached", "Idempotency-Key", "a"))
	}
	for i := range requests {
		ask(i)
	}
	if most := requests + requests/10; int(hits.Load()) > most {
		t.Errorf("%d requests made %d attempts, want %d at most", requests, hits.Load(), most)
	}
	for i := 0; r.breakerOf().State != "open"; i++ {
		if i > 400 {
			t.Fatalf("%+v after %d failures", r.breakerOf(), hits.Load())
		}
		ask(i)
	}
	before := hits.Load()
	for i := range 50 {
		if a := ask(i); a.Header.Get("Proxy-Status") != `plimsoll; error=destination_unavailable; details="breaker_open"` {
			t.Fatalf("open: %d %v", a.StatusCode, a.Header)
		}
	}
	if n := hits.Load() - before; n != 0 {
		t.Errorf("%d got past the breaker", n)
	}
}

// A service that refuses everything, by answers that say so or not, is sent
// next to nothing on top; R26.
func TestRetriesStayInTheirBudget(t *testing.T) {
	const requests = 400
	for _, marked := range []bool{false, true} {
		var hits atomic.Int64
		r := play(t, `upstreams: {shop: {endpoints: [http://shop], retries: {attempts: 3, reserve: 0, backoff: 0}}}`,
			map[string]http.Handler{"shop": http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				hits.Add(1)
				if marked {
					w.Header().Set("Retry-After", "1")
				}
				w.WriteHeader(503)
			})})
		client := r.client()
		for range requests {
			r.send(client, r.request("/"))
		}
		most := 1.1
		if marked {
			most = 1
		}
		m := r.metrics()
		have := float64(hits.Load()) / requests
		if counted := m[`plimsoll_upstream_attempts_total{upstream="shop"}`] / m[`plimsoll_upstream_requests_total{upstream="shop"}`]; have > most || have < most-0.01 || counted != have {
			t.Errorf("marked %v: %.3f attempts per request, want %.1f; counted as %.3f", marked, have, most, counted)
		}
		refused := m[`plimsoll_upstream_ended_total{reason="out_of_budget",upstream="shop"}`]
		if (refused > requests*0.8) == marked {
			t.Errorf("marked %v: the budget has refused %v", marked, refused)
		}
		t.Logf("marked %v: %.3f attempts per request, %v retries refused", marked, have, refused)
	}
}

// No attempt is made that could not begin before the caller's time is over, and
// each is told what is left.
func TestAttemptsShrinkWithTheTime(t *testing.T) {
	var mu sync.Mutex
	var left []int
	r := play(t, `upstreams: {shop: {endpoints: [http://shop], retries: {attempts: 16, reserve: 100, backoff: 350ms, maxBackoff: 350ms, causes: [503]}}}`,
		map[string]http.Handler{"shop": http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
			ms, _ := strconv.Atoi(req.Header.Get("X-Request-Timeout-Ms"))
			mu.Lock()
			left = append(left, ms)
			mu.Unlock()
			w.WriteHeader(503)
		})})
	began := time.Now()
	a := r.send(r.client(), r.request("/", "X-Request-Timeout-Ms", "1000"))
	took := time.Since(began)
	mu.Lock()
	defer mu.Unlock()
	// 504: the last has begun in time, and was not answered in it.
	if a.StatusCode != 503 && a.StatusCode != 504 || len(left) < 2 || len(left) == 16 || took > patience/2 {
		t.Errorf("%d after %s and attempts with %v ms", a.StatusCode, took, left)
	}
	for i, ms := range left {
		if ms < 1 || ms > 1000 || i > 0 && ms > left[i-1] {
			t.Errorf("attempts are told of %v ms", left)
		}
	}
}

// With retries, what streams goes through as it comes and as long as it is: the
// memory does not grow with it, and its end is there.
func TestB73StreamsPassThroughRetries(t *testing.T) {
	size := int64(256 << 20)
	if testing.Short() {
		size = 16 << 20
	}
	heap, middle := new(zeros), make(chan struct{})
	r := play(t, "timeout: 0\nupstreams: {shop: {endpoints: [http://shop], retries: {methods: [GET, POST, PUT]}}}",
		map[string]http.Handler{"shop": http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
			switch req.URL.Path {
			case "/up":
				n, _ := io.Copy(io.Discard, req.Body)
				fmt.Fprint(w, n)
			case "/down":
				io.CopyN(w, heap, size)
			case "/flushed":
				io.WriteString(w, "first")
				http.NewResponseController(w).Flush()
				<-middle
				io.WriteString(w, "last") // and no flush
			}
		})})
	heap.grown() // from here on
	req, err := http.NewRequestWithContext(t.Context(), "PUT", r.url+"/up", io.LimitReader(heap, size))
	if err != nil {
		t.Fatal(err)
	}
	if a := r.send(r.client(), req); a.body != strconv.FormatInt(size, 10) {
		t.Errorf("%s bytes arrived", a.body)
	}
	resp, err := r.client().Do(r.request("/down"))
	if err != nil {
		t.Fatal(err)
	}
	n, err := io.Copy(io.Discard, resp.Body)
	resp.Body.Close()
	if n != size || err != nil {
		t.Errorf("%d bytes came back, %v", n, err)
	}
	if grown := heap.grown(); grown > 64<<20 {
		t.Errorf("the heap grew by %d MiB", grown>>20)
	} else {
		t.Logf("the heap grew by %d KiB", grown>>10)
	}

	if resp, err = r.client().Do(r.request("/flushed")); err != nil {
		t.Fatal(err)
	}
	begin := make([]byte, 5)
	if _, err := io.ReadFull(resp.Body, begin); err != nil || string(begin) != "first" {
		t.Errorf("the beginning is %q, %v", begin, err)
	}
	close(middle)
	if end, err := io.ReadAll(resp.Body); err != nil || string(end) != "last" {
		t.Errorf("the end is %q, %v", end, err)
	}
	resp.Body.Close()
}

// zeros reads as zeros for ever, and looks at the heap now and then.
type zeros struct {
	read        int64
	least, most uint64
}

func (z *zeros) Read(p []byte) (int, error) {
	clear(p)
	if before := z.read; before>>22 != (before+int64(len(p)))>>22 {
		z.grown()
	}
	z.read += int64(len(p))
	return len(p), nil
}

// grown is by how much the heap has been larger than it was at first.
func (z *zeros) grown() uint64 {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	if z.least == 0 {
		z.least = m.HeapInuse
	}
	z.most = max(z.most, m.HeapInuse)
	return z.most - min(z.least, z.most)
}

// A gRPC call that was refused before anything of it began is made again when
// the server asks for that; one whose answer has begun is not, nor one that a
// gate refused.
func TestGRPCIsRetriedWhereTheServerAsks(t *testing.T) {
	for _, c := range []struct {
		name   string
		header map[string]string
		begun  bool
		hits   int64
	}{
		{"with a pushback", map[string]string{"Grpc-Status": "14", "Grpc-Retry-Pushback-Ms": "1"}, false, 3},
		{"exhausted, with a pushback", map[string]string{"Grpc-Status": "8", "Grpc-Retry-Pushback-Ms": "0"}, false, 3},
		{"without", map[string]string{"Grpc-Status": "14"}, false, 1},
		{"too long, whatever it asks", map[string]string{"Grpc-Status": "8", "Grpc-Retry-Pushback-Ms": "0", "Grpc-Message": "grpc: received message larger than max (9 vs. 4)"}, false, 1},
		{"asks for none", map[string]string{"Grpc-Status": "14", "Grpc-Retry-Pushback-Ms": "-1"}, false, 1},
		{"asks for a long pause", map[string]string{"Grpc-Status": "14", "Grpc-Retry-Pushback-Ms": "60000"}, false, 1},
		{"of a gate", map[string]string{"Grpc-Status": "14", "Grpc-Retry-Pushback-Ms": "1", "Proxy-Status": "plimsoll; error=connection_limit_reached"}, false, 1},
		{"begun", map[string]string{"Grpc-Status": "14", "Grpc-Retry-Pushback-Ms": "1"}, true, 1},
		{"well", map[string]string{"Grpc-Status": "0"}, false, 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			var hits atomic.Int64
			r := play(t, `upstreams: {shop: {endpoints: [h2c://shop], retries: {reserve: 100}}}`,
				map[string]http.Handler{"shop": http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
					hits.Add(1)
					io.Copy(io.Discard, req.Body)
					w.Header().Set("Content-Type", "application/grpc")
					prefix := ""
					if c.begun {
						w.Write([]byte{0, 0, 0, 0, 0})
						http.NewResponseController(w).Flush()
						prefix = http.TrailerPrefix
					}
					for name, v := range c.header {
						w.Header().Set(prefix+name, v)
					}
				})})
			req, err := http.NewRequestWithContext(t.Context(), "POST", r.url+"/a.B/C", bytes.NewReader([]byte{0, 0, 0, 0, 0}))
			if err != nil {
				t.Fatal(err)
			}
			req.Header.Set("Content-Type", "application/grpc")
			req.Header.Set("Te", "trailers")
			a := r.send(r.clientH2(), req)
			status := a.Header.Get("Grpc-Status") + a.Trailer.Get("Grpc-Status")
			if status != c.header["Grpc-Status"] || hits.Load() != c.hits {
				t.Errorf("status %s after %d hits, want %d", status, hits.Load(), c.hits)
			}
		})
	}
}

// A caller that leaves during a backoff is not waited for.
func TestCallersThatLeaveEndTheirRetries(t *testing.T) {
	hit := make(chan struct{}, 16)
	r := play(t, "timeout: 0\nupstreams: {shop: {endpoints: [http://shop], retries: {reserve: 100, backoff: 1h, maxBackoff: 1h}}}",
		map[string]http.Handler{"shop": http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(503)
			hit <- struct{}{}
		})})
	ctx, leave := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() {
		_, err := fetch(r.client(), r.request("/").WithContext(ctx))
		ended <- err
	}()
	<-hit
	leave()
	<-ended
	r.atRest()
	if n := len(hit); n != 0 {
		t.Errorf("%d more attempts", n)
	}
}
