package httpgate

import (
	"bufio"
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/plimsoll-go/plimsoll"
	"github.com/plimsoll-go/plimsoll/breaker"
	"github.com/plimsoll-go/plimsoll/class"
	"github.com/plimsoll-go/plimsoll/class/wire"
	"github.com/plimsoll-go/plimsoll/client"
	"github.com/plimsoll-go/plimsoll/internal/deaf"
	"github.com/plimsoll-go/plimsoll/internal/rest"
	"github.com/plimsoll-go/plimsoll/retry"
	"github.com/plimsoll-go/plimsoll/throttle"
)

// sends is a round tripper of a function.
type sends func(*http.Request) (*http.Response, error)

func (f sends) RoundTrip(r *http.Request) (*http.Response, error) {
	if r.Body != nil {
		defer r.Body.Close()
	}
	return f(r)
}

// to is a round tripper to a handler in this process.
func to(h http.Handler) sends {
	return func(r *http.Request) (*http.Response, error) {
		w := httptest.NewRecorder()
		r = r.Clone(r.Context())
		r.RequestURI = ""
		h.ServeHTTP(w, r)
		return w.Result(), nil
	}
}

// answers is a round tripper that answers with a status and headers in pairs.
func answers(status int, header ...string) sends {
	return to(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		for i := 0; i < len(header); i += 2 {
			w.Header().Add(header[i], header[i+1])
		}
		w.WriteHeader(status)
		io.WriteString(w, "because")
	}))
}

// Each attempt is told what is really left, and none is sent with nothing left.
func TestB07EachAttemptIsToldWhatIsLeft(t *testing.T) {
	for _, protocol := range []string{"h1", "h2"} {
		t.Run(protocol, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				var told []int
				var attempts []string
				p := newPipes()
				bubbleServe(t, p, http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
					ms, _ := strconv.Atoi(r.Header.Get(wire.TimeoutHeader))
					told, attempts = append(told, ms), append(attempts, r.Header.Get(wire.AttemptHeader))
					<-r.Context().Done()
				}), 0)
				next := p.transport()
				if protocol == "h2" {
					next = p.transport2()
				}
				defer next.CloseIdleConnections()
				c := rest.Client(t, client.Config{Timeout: 100 * time.Millisecond, Retry: retry.Policy{Backoff: retry.Backoff{Base: 10 * time.Millisecond, Jitter: retry.NoJitter}}})
				ctx, cancel := context.WithTimeout(t.Context(), 250*time.Millisecond)
				defer cancel()
				began := time.Now()
				r, _ := http.NewRequestWithContext(ctx, "GET", "http://x/", nil)
				_, err := (&http.Client{Transport: Transport(c, next)}).Do(r)
				if took := time.Since(began); !errors.Is(err, context.DeadlineExceeded) || took > 260*time.Millisecond {
					t.Errorf("%v after %v", err, took)
				}
				synctest.Wait()
				// 100, then the backoffs of 10 and 20 are off: 140 of which 100, and 20.
				if !slices.Equal(told, []int{100, 100, 20}) || !slices.Equal(attempts, []string{"1", "2", "3"}) {
					t.Errorf("told %v, attempts %v", told, attempts)
				}
			})
		})
	}
}

// What is left is told as it is when there is a connection, not when one was asked for.
func TestB07DialingCounts(t *testing.T) {
	bubble(t, func(t *testing.T) {
		told := ""
		p := newPipes()
		bubbleServe(t, p, http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { told = r.Header.Get(wire.TimeoutHeader) }), 0)
		next := &http.Transport{DialContext: func(ctx context.Context, network, address string) (net.Conn, error) {
			<-time.After(150 * time.Millisecond)
			return p.dial(ctx, network, address)
		}}
		defer next.CloseIdleConnections()
		ctx, cancel := context.WithTimeout(t.Context(), 250*time.Millisecond)
		defer cancel()
		r, _ := http.NewRequestWithContext(ctx, "GET", "http://x/", nil)
		get(t, &http.Client{Transport: Transport(rest.Client(t, client.Config{Margin: 10 * time.Millisecond}), next)}, r)
		if told != "90" {
			t.Errorf("told %q, want 90", told)
		}
	})
}

func TestNothingIsSentWithNothingLeft(t *testing.T) {
	bubble(t, func(t *testing.T) {
		sent := 0
		tr := Transport(rest.Client(t, client.Config{Margin: 5 * time.Millisecond}), sends(func(*http.Request) (*http.Response, error) { sent++; return nil, io.EOF }))
		ctx, cancel := context.WithTimeout(t.Context(), 6*time.Millisecond)
		defer cancel()
		body := &closes{Reader: strings.NewReader("x")}
		r, _ := http.NewRequestWithContext(ctx, "POST", "http://x/", body)
		_, err := tr.RoundTrip(r)
		var e *client.Error
		if !errors.As(err, &e) || e.Reason != client.NoTime || sent != 0 || body.n != 1 {
			t.Errorf("%v, %d sent, body closed %d times", err, sent, body.n)
		}
	})
}

// The body is closed whatever the configuration's own functions do.
func TestABodyIsClosedWhereNeedPanics(t *testing.T) {
	tr := TransportConfig{Need: func(*http.Request) time.Duration { panic("no") }}.Transport(rest.Client(t, client.Config{}), nil)
	body := &closes{Reader: strings.NewReader("x")}
	defer func() {
		if recover() != "no" || body.n != 1 {
			t.Errorf("closed %d times", body.n)
		}
	}()
	tr.RoundTrip(request(t, "POST", "http://x/", body))
}

// closes counts how often a body is closed.
type closes struct {
	io.Reader
	n int
}

func (c *closes) Close() error { c.n++; return nil }

// A is refused a connection, B takes it.
func TestB16BodiesAreReplayedUpToABound(t *testing.T) {
	refusing := deaf.Address(t)
	content := make([]byte, DefaultMaxReplay+1)
	rand.NewChaCha8([32]byte{}).Read(content)
	var reached atomic.Int64
	b := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		hash := sha256.New()
		n, _ := io.Copy(hash, r.Body)
		reached.Add(n)
		w.Write(hash.Sum(nil))
		if r.Header.Get("Fail") != "" && r.Header.Get(wire.AttemptHeader) == "1" {
			panic(http.ErrAbortHandler)
		}
	}))
	defer b.Close()
	for _, tc := range []struct {
		name    string
		size    int
		chunked bool
		method  string
		fail    bool // B takes the first as well, and breaks off
		want    bool
	}{
		{"in bounds", DefaultMaxReplay, false, "POST", false, true},
		{"in bounds, of unknown length", DefaultMaxReplay, true, "POST", false, true},
		{"over", DefaultMaxReplay + 1, false, "POST", false, false},
		{"read, in bounds", DefaultMaxReplay, false, "PUT", true, true},
		{"read, in bounds, of unknown length", DefaultMaxReplay, true, "PUT", true, true},
		{"read, over", DefaultMaxReplay + 1, true, "PUT", true, false},
	} {
		t.Run(tc.name, func(t *testing.T) {
			reached.Store(0)
			var dials atomic.Int64
			next := &http.Transport{DialContext: func(ctx context.Context, network, _ string) (net.Conn, error) {
				address := b.Listener.Addr().String()
				if dials.Add(1) == 1 && !tc.fail {
					address = refusing
				}
				return new(net.Dialer).DialContext(ctx, network, address)
			}}
			defer next.CloseIdleConnections()
			hc := &http.Client{Transport: Transport(rest.Client(t, client.Config{Retry: retry.Policy{Attempts: 2}}), next)}
			body := &closes{Reader: bytes.NewReader(content[:tc.size])}
			r := request(t, tc.method, "http://b/", body)
			if r.ContentLength = int64(tc.size); tc.chunked {
				r.ContentLength = -1
			}
			if tc.fail {
				r.Header.Set("Fail", "1")
			}
			answer, err := hc.Do(r)
			if !tc.want {
				if !tc.fail && (!errors.Is(err, syscall.ECONNREFUSED) || reached.Load() != 0) {
					t.Errorf("%v, %d bytes reached B", err, reached.Load())
				}
				if err == nil || dials.Load() != 1 {
					t.Errorf("%v after %d attempts", err, dials.Load())
				}
			} else if err != nil {
				t.Error(err)
			} else {
				sum, _ := io.ReadAll(answer.Body)
				answer.Body.Close()
				if want := sha256.Sum256(content[:tc.size]); !bytes.Equal(sum, want[:]) {
					t.Error("B has got another body")
				}
			}
			if body.n != 1 {
				t.Errorf("the body was closed %d times", body.n)
			}
		})
	}
}

// A body that cannot be made anew after all is nobody's failure but the caller's:
// the answer there is stays the answer, and counts once.
func TestB16ABodyThatIsNotMadeAnew(t *testing.T) {
	c := rest.Client(t, client.Config{Breaker: &breaker.Config{Failures: 2}})
	sent := 0
	tr := Transport(c, sends(func(r *http.Request) (*http.Response, error) { sent++; return answers(502)(r) }))
	r := request(t, "PUT", "http://x/", strings.NewReader("content"))
	r.GetBody = func() (io.ReadCloser, error) { return nil, errors.New("the file is gone") }
	resp, err := tr.RoundTrip(r)
	if err != nil {
		t.Fatal(err)
	}
	if body, err := io.ReadAll(resp.Body); resp.StatusCode != 502 || string(body) != "because" || err != nil || resp.Header.Get(GaveUpHeader) != "" {
		t.Errorf("%d %q, %v, %v", resp.StatusCode, body, resp.Header, err)
	}
	if s := c.Status(); sent != 1 || s.Breakers[class.Critical.Lane()].State != breaker.Closed || s.Refused[client.ToldNot] != 1 {
		t.Errorf("%d sent, %+v", sent, s)
	}
}

// breakingOff is a server that answers the first request of a connection, if it
// is told to, and closes after the next without an answer.
func breakingOff(t *testing.T, warm bool) (address string, hits *atomic.Int64) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	hits = new(atomic.Int64)
	var all sync.WaitGroup
	t.Cleanup(func() { l.Close(); all.Wait() })
	all.Go(func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			all.Go(func() {
				defer conn.Close()
				in := bufio.NewReader(conn)
				for n := 0; ; n++ {
					r, err := http.ReadRequest(in)
					if err != nil {
						return
					}
					io.Copy(io.Discard, r.Body)
					if !warm || r.URL.Path != "/warm" {
						hits.Add(1)
						return
					}
					io.WriteString(conn, "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
				}
			})
		}
	})
	return l.Addr().String(), hits
}

func TestB17AttemptsAreBoundedWithNetHTTPsOwn(t *testing.T) {
	for _, tc := range []struct {
		method, key string
		attempts    int
		want        int64
	}{
		{"POST", "", 3, 1},
		{"POST", "k", 3, 3},
		{"GET", "", 3, 3},
		{"GET", "", 1, 1},
		{"PUT", "", 2, 2},
	} {
		for _, idle := range []int{0, 1, 3} {
			t.Run(fmt.Sprintf("%s%s of %d, %d idle", tc.method, tc.key, tc.attempts, idle), func(t *testing.T) {
				address, hits := breakingOff(t, true)
				next := &http.Transport{MaxIdleConnsPerHost: 10}
				defer next.CloseIdleConnections()
				warm(t, next, "http://"+address+"/warm", idle)
				c := rest.Client(t, client.Config{Retry: retry.Policy{Attempts: tc.attempts}})
				hc := &http.Client{Transport: Transport(c, next)}
				var body io.Reader
				if tc.method != "GET" {
					body = strings.NewReader("content")
				}
				r := request(t, tc.method, "http://"+address+"/", body)
				if tc.key != "" {
					r.Header.Set("Idempotency-Key", tc.key)
				}
				_, err := hc.Do(r)
				var e *client.Error
				if !errors.As(err, &e) || hits.Load() != tc.want || int64(e.Attempts) != tc.want {
					t.Errorf("%v: %d hits, want %d", err, hits.Load(), tc.want)
				}
			})
		}
	}
}

// A round tripper that asks for a token first, or answers a challenge, sends
// several requests for one, in its context. That is not net/http sending one again.
func TestB17RoundTrippersThatSendMore(t *testing.T) {
	for _, protocol := range []string{"h1", "h2"} {
		t.Run(protocol, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				var paths []string
				p := newPipes()
				bubbleServe(t, p, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
					paths = append(paths, r.URL.Path)
					io.WriteString(w, r.URL.Path)
				}), 0)
				next := p.transport()
				if protocol == "h2" {
					next = p.transport2()
				}
				defer next.CloseIdleConnections()
				c := rest.Client(t, client.Config{})
				resp, err := Transport(c, sends(func(r *http.Request) (*http.Response, error) {
					token := r.Clone(r.Context())
					token.URL.Path = "/token"
					resp, err := next.RoundTrip(token)
					if err != nil {
						return nil, err
					}
					io.Copy(io.Discard, resp.Body)
					resp.Body.Close()
					return next.RoundTrip(r)
				})).RoundTrip(request(t, "GET", "http://x/", nil))
				if err != nil {
					t.Fatal(err)
				}
				resp.Body.Close()
				if c.Status().Attempts != 1 || !slices.Equal(paths, []string{"/token", "/"}) {
					t.Errorf("%v were sent in %d attempts", paths, c.Status().Attempts)
				}
			})
		})
	}
}

// warm leaves n idle connections.
func warm(t *testing.T, next *http.Transport, url string, n int) {
	t.Helper()
	var open []*http.Response
	for range n {
		resp, err := next.RoundTrip(request(t, "GET", url, nil))
		if err != nil {
			t.Fatal(err)
		}
		open = append(open, resp) // not read: the next has a connection of its own
	}
	for _, resp := range open {
		io.Copy(io.Discard, resp.Body)
		resp.Body.Close()
	}
}

// A POST whose time is over may have been taken.
func TestB17TimeoutsOfAPostAreNotRetried(t *testing.T) {
	for method, want := range map[string]int{"POST": 1, "GET": 3} {
		bubble(t, func(t *testing.T) {
			hits := 0
			tr := Transport(rest.Client(t, client.Config{Timeout: time.Second}), sends(func(r *http.Request) (*http.Response, error) {
				hits++
				<-r.Context().Done()
				return nil, context.Cause(r.Context())
			}))
			_, err := tr.RoundTrip(request(t, method, "http://x/", nil))
			var timeout interface{ Timeout() bool }
			if !errors.As(err, &timeout) || !timeout.Timeout() || hits != want {
				t.Errorf("%s: %v after %d, want %d", method, err, hits, want)
			}
		})
	}
}

func TestB19CallersComeBackSpread(t *testing.T) {
	for _, most := range []time.Duration{10 * time.Second, 2 * time.Second, time.Second} {
		bubble(t, func(t *testing.T) {
			began := time.Now()
			var mu sync.Mutex
			buckets, first := map[time.Duration]int{}, time.Hour
			tr := Transport(rest.Client(t, client.Config{Retry: retry.Policy{Attempts: 2, MaxPushback: most}}), sends(func(r *http.Request) (*http.Response, error) {
				if r.Header.Get(wire.AttemptHeader) == "2" {
					mu.Lock()
					defer mu.Unlock()
					at := time.Since(began)
					buckets[at/(100*time.Millisecond)]++
					first = min(first, at)
					return answers(200)(r)
				}
				return answers(429, "Retry-After", "2")(r)
			}))
			var all sync.WaitGroup
			for range 200 {
				all.Go(func() {
					resp, err := tr.RoundTrip(request(t, "GET", "http://x/", nil))
					if err != nil || resp.StatusCode != 200 {
						t.Error(resp, err)
					}
				})
			}
			all.Wait()
			if want := min(most, 2*time.Second); first < want {
				t.Errorf("cut to %v: the first is back after %v", most, first)
			}
			for at, n := range buckets {
				if n > 60 {
					t.Errorf("cut to %v: %d of 200 at %v", most, n, at*100*time.Millisecond)
				}
			}
		})
	}
}

// Three layers of four attempts are four at the bottom, whatever the bottom says.
func TestB44LayersDoNotMultiply(t *testing.T) {
	for name, refusal := range map[string]sends{
		"marked, with a time":    answers(503, "Proxy-Status", `plimsoll; error=connection_limit_reached; details="busy"`, RetryAfterMsHeader, "10"),
		"marked, without a time": answers(503, "Proxy-Status", `plimsoll; error=connection_limit_reached; details="dead_letter"`),
		"unmarked":               answers(503),
		"too many":               answers(429),
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				var attempts []string
				var next http.RoundTripper = sends(func(r *http.Request) (*http.Response, error) {
					attempts = append(attempts, r.Header.Get(wire.AttemptHeader))
					return refusal(r)
				})
				for range 2 {
					at, _ := url.Parse("http://next/")
					proxy := &httputil.ReverseProxy{
						Rewrite:   func(r *httputil.ProxyRequest) { r.SetURL(at) },
						Transport: Transport(rest.Client(t, client.Config{Retry: retry.Policy{Attempts: 4}}), next),
					}
					next = to(Handler(fixed(t, 10, plimsoll.Config{}), proxy))
				}
				tr := Transport(rest.Client(t, client.Config{Retry: retry.Policy{Attempts: 4}}), next)
				resp, err := tr.RoundTrip(request(t, "GET", "http://x/", nil))
				if err != nil || resp.StatusCode < 429 {
					t.Fatal(resp, err)
				}
				if len(attempts) > 4 || !slices.Equal(attempts, []string{"1", "2", "3", "4"}[:len(attempts)]) {
					t.Errorf("attempts %v", attempts)
				}
			})
		})
	}
}

// A layer in the middle that is given a part of the time, too little to come back
// when the service says, has not retried: its caller, who has more, does.
func TestB44WhoHasTheTimeRetries(t *testing.T) {
	bubble(t, func(t *testing.T) {
		var at []time.Duration
		began := time.Now()
		inner := Transport(rest.Client(t, client.Config{}), sends(func(r *http.Request) (*http.Response, error) {
			at = append(at, time.Since(began))
			if len(at) == 1 {
				return answers(503, "Retry-After", "5")(r)
			}
			return answers(200)(r)
		}))
		next, _ := url.Parse("http://next/")
		middle := Handler(fixed(t, 10, plimsoll.Config{}), &httputil.ReverseProxy{Rewrite: func(r *httputil.ProxyRequest) { r.SetURL(next) }, Transport: inner})
		outer := Transport(rest.Client(t, client.Config{Timeout: time.Second, Retry: retry.Policy{Backoff: retry.Backoff{Jitter: retry.NoJitter}}}), to(middle))
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
		defer cancel()
		r, _ := http.NewRequestWithContext(ctx, "GET", "http://x/", nil)
		resp, err := outer.RoundTrip(r)
		if err != nil || resp.StatusCode != 200 || !slices.Equal(at, []time.Duration{0, 5 * time.Second}) {
			t.Errorf("%v, %v, sent at %v", resp, err, at)
		}
	})
}

// A layer that makes one attempt at most, or may not repeat the request, has given
// nothing up: the layer that retries goes on.
func TestB44OneLayerRetries(t *testing.T) {
	for name, middle := range map[string]struct {
		policy retry.Policy
		method string
	}{"one attempt": {retry.Policy{Attempts: 1}, "GET"}, "not repeatable": {retry.Policy{}, "POST"}} {
		t.Run(name, func(t *testing.T) {
			hits := 0
			inner := Transport(rest.Client(t, client.Config{Retry: middle.policy}), sends(func(r *http.Request) (*http.Response, error) {
				hits++
				return answers(502)(r)
			}))
			outer := Transport(rest.Client(t, client.Config{}), sends(func(r *http.Request) (*http.Response, error) {
				r = r.Clone(r.Context())
				r.Method = middle.method
				return inner.RoundTrip(r)
			}))
			resp, err := outer.RoundTrip(request(t, "GET", "http://x/", nil))
			if err != nil || resp.StatusCode != 502 || resp.Header.Get(GaveUpHeader) != "no_attempts" || hits != retry.DefaultAttempts {
				t.Errorf("%v, %v after %d attempts, want %d", resp, err, hits, retry.DefaultAttempts)
			}
		})
	}
}

func TestB47BackoffWithoutATimeToComeBack(t *testing.T) {
	for name, header := range map[string][]string{"none": nil, "zero": {"Retry-After", "0"}, "one": {"Retry-After", "1"}} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				const base = 100 * time.Millisecond
				var at []time.Time
				refuse := answers(429, header...)
				c := rest.Client(t, client.Config{Retry: retry.Policy{Backoff: retry.Backoff{Base: base, Jitter: retry.NoJitter}}})
				tr := Transport(c, sends(func(r *http.Request) (*http.Response, error) {
					at = append(at, time.Now())
					return refuse(r)
				}))
				resp, err := tr.RoundTrip(request(t, "GET", "http://x/", nil))
				if err == nil {
					if body, _ := io.ReadAll(resp.Body); resp.StatusCode != 429 || string(body) != "because" {
						t.Errorf("%d %q", resp.StatusCode, body)
					}
				}
				if err != nil || len(at) != retry.DefaultAttempts {
					t.Errorf("%v after %d", err, len(at))
				}
				for i := 1; i < len(at); i++ {
					if gap := at[i].Sub(at[i-1]); gap < base || name == "one" && gap < time.Second {
						t.Errorf("again after %v", gap)
					}
				}
			})
		})
	}
}

// What bounds first attempts bounds retries: the throttle is asked for each.
func TestB47RetriesPassTheThrottle(t *testing.T) {
	bubble(t, func(t *testing.T) {
		sent := uint64(0)
		c := rest.Client(t, client.Config{Throttle: &throttle.Config{}})
		tr := Transport(c, sends(func(r *http.Request) (*http.Response, error) { sent++; return answers(429)(r) }))
		for range 100 {
			if resp, err := tr.RoundTrip(request(t, "GET", "http://x/", nil)); err == nil {
				resp.Body.Close()
			}
		}
		if s := c.Status(); s.Attempts != sent || sent > 50 || s.Refused[client.Throttled] < 50 {
			t.Errorf("%d sent of at most 300: %+v", sent, s)
		}
	})
}

func TestH08AnswersSayWhenToComeBack(t *testing.T) {
	now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	const s = time.Second
	overloaded := func(d time.Duration) client.Answer {
		return client.Answer{Verdict: breaker.Ignored, Overloaded: true, Pushback: d}
	}
	refused := client.Answer{Verdict: breaker.Ignored, Refused: true}
	for _, tc := range []struct {
		status int
		header http.Header
		want   client.Answer
	}{
		{429, http.Header{"Retry-After": {"120"}}, overloaded(120 * s)},
		{429, http.Header{"Retry-After": {"0"}}, refused},
		{429, http.Header{"Retry-After": {"-5"}}, refused},
		{429, http.Header{"Retry-After": {"1.5"}}, refused},
		{429, http.Header{"Retry-After": {""}}, refused},
		{429, http.Header{"Retry-After": {"soon"}}, refused},
		{429, http.Header{"Retry-After": {"Sun, 01 Mar 2026 11:59:00 GMT"}}, refused},
		{429, http.Header{"Retry-After": {"Sun, 01 Mar 2026 12:00:30 GMT"}}, overloaded(30 * s)},
		{429, http.Header{"Retry-After": {"Sunday, 01-Mar-26 12:00:30 GMT"}}, overloaded(30 * s)},
		{429, http.Header{"Retry-After": {"Sun Mar  1 12:00:30 2026"}}, overloaded(30 * s)},
		{429, http.Header{"Retry-After": {"Sun, 01 Mar 2026 12:00:30 GMT"}, "Date": {"Sun, 01 Mar 2026 12:00:20 GMT"}}, overloaded(10 * s)},
		{429, http.Header{"Retry-After": {"99999999999999999999"}}, overloaded(class.Forever)},
		{503, http.Header{"Retry-After": {"2", "7"}}, overloaded(7 * s)},
		{503, http.Header{"Retry-After": {"2"}, RetryAfterMsHeader: {"1250"}}, overloaded(1250 * time.Millisecond)},
		{503, http.Header{"Retry-After": {"2"}, RetryAfterMsHeader: {"x"}}, overloaded(2 * s)},
		{503, http.Header{}, client.Answer{Verdict: breaker.Failure}},
		{429, http.Header{"X-Envoy-Ratelimited": {"true"}, "Retry-After": {"2"}}, overloaded(retry.NoRetry)},
		{503, http.Header{"X-Envoy-Overloaded": {"true"}}, overloaded(0)},
		{503, http.Header{"Proxy-Status": {`plimsoll; error=destination_unavailable; details="draining"`}, "Retry-After": {"1"}},
			client.Answer{Verdict: breaker.Ignored, Refused: true, Pushback: s}},
		{504, http.Header{"Proxy-Status": {`plimsoll; error=http_response_timeout; details="expired"`}}, overloaded(0)},
		{503, http.Header{"Proxy-Status": {`plimsoll; details="hopeless"`}}, overloaded(0)},
		{503, http.Header{"Proxy-Status": {`plimsoll; error=destination_unavailable; details="throttled"`}, "Retry-After": {"1"}}, overloaded(s)},
		{503, http.Header{"Proxy-Status": {`plimsoll; error=destination_unavailable; details="breaker_open"`}, "Retry-After": {"1"}},
			client.Answer{Verdict: breaker.Failure, Pushback: s}},
		{502, http.Header{"Proxy-Status": {"plimsoll; error=connection_terminated"}}, client.Answer{Verdict: breaker.Failure}},
		{502, http.Header{"Proxy-Status": {"plimsoll; error=dns_error"}}, client.Answer{Verdict: breaker.Failure}},
		{500, http.Header{"Retry-After": {"1"}}, client.Answer{Verdict: breaker.Failure, Pushback: s}},
		{502, http.Header{GaveUpHeader: {"no_attempts"}}, client.Answer{Verdict: breaker.Failure, GivenUp: true}},
		{501, http.Header{}, client.Answer{Verdict: breaker.Success}},
		{404, http.Header{"Retry-After": {"5"}}, client.Answer{Verdict: breaker.Success}},
		{200, http.Header{}, client.Answer{Verdict: breaker.Success}},
	} {
		a, failed := judge(tc.status, tc.header, now)
		if a != tc.want || failed != (tc.want.Verdict != breaker.Success) {
			t.Errorf("%d %v: %+v, want %+v", tc.status, tc.header, a, tc.want)
		}
	}
}

// What a request says for itself neither raises the attempts nor is passed on.
func TestH20AClientsOwnHeadersCount(t *testing.T) {
	var seen []http.Header
	tr := Transport(rest.Client(t, client.Config{}), sends(func(r *http.Request) (*http.Response, error) {
		seen = append(seen, r.Header.Clone())
		return answers(503)(r)
	}))
	r := request(t, "GET", "http://x/", nil)
	r.Header.Set(wire.AttemptHeader, "99")
	r.Header.Set("X-Envoy-Max-Retries", "1000000")
	r.Header.Set(wire.CriticalityHeader, "CRITICAL_PLUS")
	r.Header.Set(wire.TimeoutHeader, "99999999")
	before := r.Header.Clone()
	r = r.WithContext(wire.With(t.Context(), wire.Tag{Criticality: class.Sheddable}))
	if _, err := tr.RoundTrip(r); err != nil {
		t.Fatal(err)
	}
	if len(seen) != retry.DefaultAttempts {
		t.Errorf("%d attempts", len(seen))
	}
	for i, h := range seen {
		if h.Get(wire.AttemptHeader) != strconv.Itoa(i+1) || h.Get(wire.CriticalityHeader) != "SHEDDABLE" || h.Get(wire.TimeoutHeader) != "" {
			t.Errorf("attempt %d: %v", i+1, h)
		}
	}
	if fmt.Sprint(r.Header) != fmt.Sprint(before) {
		t.Errorf("the caller's headers were changed: %v", r.Header)
	}
}
