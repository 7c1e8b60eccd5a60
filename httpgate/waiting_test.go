package httpgate

import (
	"context"
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/plimsoll-go/plimsoll/breaker"
	"github.com/plimsoll-go/plimsoll/client"
	"github.com/plimsoll-go/plimsoll/internal/rest"
	"github.com/plimsoll-go/plimsoll/retry"
)

// trickling is a body that comes so slowly that it takes an hour, or until the
// context of its request ends.
type trickling struct{ context.Context }

func (b trickling) Read([]byte) (int, error) {
	select {
	case <-time.After(time.Hour):
		return 0, io.EOF
	case <-b.Done():
		return 0, b.Err()
	}
}

// An answer that is tried again after a while does not keep its connection until
// then: it is read, up to a bound, before the wait. Where there is no other attempt
// after all, it is still there.
func TestAnswersAreNotHeldOpenInAWait(t *testing.T) {
	long := strings.Repeat("x", maxDropped+1)
	for name, tc := range map[string]struct {
		body   func(context.Context) io.Reader
		length int64
		held   bool   // the next attempt is, by the breaker
		want   string // what the caller reads
		cut    bool   // and whether it sees that there was more
	}{
		"short":                      {func(context.Context) io.Reader { return strings.NewReader("because") }, 7, false, "well", false},
		"short, and held back":       {func(context.Context) io.Reader { return strings.NewReader("because") }, 7, true, "because", false},
		"unknown, and held back":     {func(context.Context) io.Reader { return strings.NewReader("because") }, -1, true, "because", false},
		"long, and held back":        {func(context.Context) io.Reader { return strings.NewReader(long) }, -1, true, long[1:], true},
		"known long, and held back":  {func(context.Context) io.Reader { return strings.NewReader(long) }, maxDropped + 1, true, "", true},
		"without end, and held back": {func(ctx context.Context) io.Reader { return trickling{ctx} }, -1, true, "", true},
		"without end":                {func(ctx context.Context) io.Reader { return trickling{ctx} }, -1, false, "well", false},
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				first := &closes{}
				next := sends(func(r *http.Request) (*http.Response, error) {
					if first.Reader != nil {
						return &http.Response{StatusCode: 200, Header: http.Header{}, Body: io.NopCloser(strings.NewReader("well"))}, nil
					}
					first.Reader = tc.body(r.Context())
					return &http.Response{StatusCode: 500, Header: http.Header{"Retry-After": {"60"}}, Body: first, ContentLength: tc.length}, nil
				})
				config := client.Config{Retry: retry.Policy{Backoff: retry.Backoff{Jitter: retry.NoJitter}}}
				if tc.held {
					config.Breaker = &breaker.Config{Failures: 1, Open: time.Hour}
				}
				tr, began := Transport(rest.Client(t, config), next), time.Now()
				done := make(chan *http.Response)
				go func() {
					resp, err := tr.RoundTrip(request(t, "GET", "http://x/", nil))
					if err != nil {
						t.Error(err)
					}
					done <- resp
				}()
				time.Sleep(dropWithin)
				synctest.Wait()
				if first.n == 0 {
					t.Error("the answer is open while there is a wait for another attempt")
				}
				resp := <-done
				if took := time.Since(began); took != time.Minute {
					t.Errorf("after %v", took)
				}
				body, err := io.ReadAll(resp.Body)
				resp.Body.Close()
				if string(body) != tc.want || (err != nil) != tc.cut || tc.held != (resp.Header.Get(GaveUpHeader) == "breaker_open") {
					t.Errorf("%d bytes %.20q, %v, %v", len(body), body, err, resp.Header)
				}
			})
		})
	}
}
