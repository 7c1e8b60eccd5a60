package httpgate

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/plimsoll-go/plimsoll/class/wire"
	"github.com/plimsoll-go/plimsoll/client"
	"github.com/plimsoll-go/plimsoll/internal/rest"
	"github.com/plimsoll-go/plimsoll/retry"
)

var hedging = &retry.HedgeConfig{After: 100 * time.Millisecond}

// A read that hangs has another beside it, which is the call; the one that hangs
// is cancelled, as its server sees.
func TestAReadThatHangsHasAnotherBesideIt(t *testing.T) {
	for _, protocol := range protocols {
		for _, body := range []string{"", "what is asked for"} {
			t.Run(protocol+" "+body, func(t *testing.T) {
				bubble(t, func(t *testing.T) {
					var cancelled atomic.Int64
					p := newPipes()
					bubbleServe(t, p, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
						b, _ := io.ReadAll(r.Body)
						n := r.Header.Get(wire.AttemptHeader)
						if n == "1" {
							<-r.Context().Done()
							cancelled.Add(1)
							return
						}
						fmt.Fprintf(w, "%s %s", n, b)
					}), 0)
					next := p.transport()
					if protocol == "h2" {
						next = p.transport2()
					}
					defer next.CloseIdleConnections()
					c := rest.Client(t, client.Config{Hedge: hedging})
					r := request(t, "GET", "http://x/", nil)
					if body != "" {
						r = request(t, "GET", "http://x/", strings.NewReader(body))
					}
					began := time.Now()
					resp, got := get(t, &http.Client{Transport: Transport(c, next)}, r)
					if took := time.Since(began); got != "2 "+body || took != 100*time.Millisecond || resp.Request.Header.Get(wire.AttemptHeader) != "" {
						t.Errorf("%q after %v", got, took)
					}
					synctest.Wait()
					if s := c.Status(); cancelled.Load() != 1 || s.InFlight != 0 || s.Attempts != 2 {
						t.Errorf("%d cancelled; %+v", cancelled.Load(), s)
					}
				})
			})
		}
	}
}

// opened counts bodies that are not closed.
type opened struct {
	io.Reader
	n    *atomic.Int64
	once sync.Once
}

func (o *opened) Close() error { o.once.Do(func() { o.n.Add(-1) }); return nil }

// However attempts fall together, one answer is returned and the others are
// closed; and who called may use the request again.
func TestAnswersThatLoseAreClosed(t *testing.T) {
	bubble(t, func(t *testing.T) {
		var open, ok, failed atomic.Int64
		next := sends(func(r *http.Request) (*http.Response, error) {
			n := r.Header.Get(wire.AttemptHeader)
			turn := int(r.URL.Path[1] - '0')
			time.Sleep(time.Duration([][]int{{300, 200, 100}, {200, 100, 100}, {250, 300, 10}}[turn%3][n[0]-'1']) * time.Millisecond) // does not heed its context
			status := 200
			if turn&1 == 1 && n == "1" || turn&2 == 2 && n == "2" || turn == 7 {
				status = 500
			}
			open.Add(1)
			if len(r.Header) > 20 {
				t.Error("what is sent has changed")
			}
			return &http.Response{StatusCode: status, Header: http.Header{}, Body: &opened{Reader: strings.NewReader(""), n: &open}}, nil
		})
		c := rest.Client(t, client.Config{Hedge: &retry.HedgeConfig{After: 100 * time.Millisecond, Extra: 2}})
		tr := Transport(c, next)
		var calls sync.WaitGroup
		for i := range 400 {
			calls.Go(func() {
				ctx, cancel := context.WithTimeout(t.Context(), time.Duration(150+i)*time.Millisecond)
				defer cancel()
				r, _ := http.NewRequestWithContext(ctx, "GET", fmt.Sprint("http://x/", i%8), nil)
				resp, err := tr.RoundTrip(r)
				if err != nil {
					failed.Add(1)
					return
				}
				ok.Add(1)
				resp.Body.Close()
				for n := range 30 {
					r.Header.Set(fmt.Sprint("Used-Again-", n), "x")
				}
				r.URL.Path = "/again"
			})
		}
		calls.Wait()
		time.Sleep(time.Second)
		if open.Load() != 0 || ok.Load() == 0 || failed.Load() == 0 {
			t.Errorf("%d answers are open; %d calls were answered and %d not", open.Load(), ok.Load(), failed.Load())
		}
	})
}

// Only what is a read, and can be sent twice, is sent twice at a time.
func TestOnlyReadsAreSentTwiceAtATime(t *testing.T) {
	for name, tc := range map[string]struct {
		method string
		body   io.Reader
		header string
		want   int64
	}{
		"GET":                    {"GET", nil, "", 2},
		"HEAD":                   {"HEAD", nil, "", 2},
		"PUT":                    {"PUT", nil, "", 1},
		"DELETE":                 {"DELETE", nil, "", 1},
		"POST with a key":        {"POST", nil, "Idempotency-Key", 1},
		"a body made anew":       {"GET", strings.NewReader("x"), "", 2},
		"a body that is read":    {"GET", io.MultiReader(strings.NewReader("x")), "", 1},
		"a conversation":         {"GET", nil, "Upgrade", 1},
		"a read with a key":      {"GET", nil, "Idempotency-Key", 2},
		"what a proxy passed on": {"GET", http.NoBody, "", 2},
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				c := rest.Client(t, client.Config{Hedge: hedging})
				var sent atomic.Int64
				r := request(t, tc.method, "http://x/", tc.body)
				if tc.header != "" {
					r.Header.Set(tc.header, "x")
				}
				resp, err := Transport(c, sends(func(r *http.Request) (*http.Response, error) {
					sent.Add(1)
					<-time.After(time.Second)
					return answers(200)(r)
				})).RoundTrip(r)
				if err != nil {
					t.Fatal(err)
				}
				resp.Body.Close()
				time.Sleep(time.Second)
				if sent.Load() != tc.want {
					t.Errorf("sent %d times, want %d", sent.Load(), tc.want)
				}
			})
		})
	}
}

// A refusal beside an attempt that hangs is not the end of it, and one that
// fails is closed.
func TestAnAttemptBesideThatIsRefused(t *testing.T) {
	bubble(t, func(t *testing.T) {
		c := rest.Client(t, client.Config{Hedge: &retry.HedgeConfig{After: 100 * time.Millisecond, Extra: 5}})
		var sent atomic.Int64
		began := time.Now()
		resp, err := Transport(c, sends(func(r *http.Request) (*http.Response, error) {
			if sent.Add(1) == 2 {
				return answers(503, "Retry-After", "1")(r)
			}
			<-time.After(time.Second)
			return answers(200)(r)
		})).RoundTrip(request(t, "GET", "http://x/", nil))
		if err != nil || resp.StatusCode != 200 || sent.Load() != 2 || time.Since(began) != time.Second {
			t.Errorf("%v, %v after %d attempts and %v", resp, err, sent.Load(), time.Since(began))
		}
	})
}
