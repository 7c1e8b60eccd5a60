package target

import (
	"context"
	"errors"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"testing"
	"testing/synctest"
	"time"
)

// A host is looked up once in a while, the address that answers is tried first,
// and where it cannot be looked up any more it is where it was.
func TestNames(t *testing.T) {
	rest(t)
	s := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
	defer s.Close()
	n := newNames(parse(t, s.URL))
	n.host = "service.example"
	lookups := 0
	gone := errors.New("no resolver")
	n.lookup = func(_ context.Context, host string) ([]string, error) {
		if lookups++; lookups > 1 {
			return nil, gone
		}
		return []string{"127.0.0.2", "127.0.0.1"}, nil
	}
	for range 10 {
		conn, err := n.dial(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		_ = conn.Close()
		if n.first != "127.0.0.1" {
			t.Errorf("%s is tried first", n.first)
		}
	}
	if lookups != 1 {
		t.Errorf("%d lookups", lookups)
	}
	n.until = time.Time{}
	conn, err := n.dial(t.Context())
	if err != nil || lookups != 2 {
		t.Fatalf("%v after %d lookups", err, lookups)
	}
	_ = conn.Close()
	n.known, n.until = nil, time.Time{}
	if _, err := n.dial(t.Context()); !errors.Is(err, gone) {
		t.Error(err)
	}
}

// An address that answers nothing has its share of the time, and no more while
// others are left; what ends in the end is said of the last that said anything.
func TestOneDeadAddressOfMany(t *testing.T) {
	refused := errors.New("refused")
	for _, tt := range []struct {
		name   string
		within time.Duration
		known  []string
		want   error
		after  time.Duration
		first  string
	}{
		{"half of it each", 10 * time.Second, []string{"dead", "good"}, nil, 5 * time.Second, "good"},
		{"what is left, shared again", 12 * time.Second, []string{"dead", "dead", "good"}, nil, 8 * time.Second, "good"},
		{"no less than the least", 5 * time.Second, []string{"dead", "good", "good", "good", "good"}, nil, leastShare, "good"},
		{"no time for a second", time.Second, []string{"dead", "good"}, os.ErrDeadlineExceeded, time.Second, "good"},
		{"dead, and then refused", 10 * time.Second, []string{"dead", "shut"}, refused, 5 * time.Second, "dead"},
		{"refused, and then dead", 10 * time.Second, []string{"shut", "dead"}, refused, 10 * time.Second, "shut"},
		{"as long as it takes", 0, []string{"shut", "good"}, nil, 0, "good"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				ctx := t.Context()
				if tt.within > 0 {
					within, cancel := context.WithTimeout(ctx, tt.within)
					defer cancel()
					ctx = within
				}
				n := names{port: "80", known: tt.known, until: time.Now().Add(time.Hour)}
				n.connect = func(ctx context.Context, address string) (net.Conn, error) {
					switch address {
					case "dead:80":
						<-ctx.Done()
						return nil, os.ErrDeadlineExceeded
					case "shut:80":
						return nil, refused
					}
					conn, other := net.Pipe()
					return conn, other.Close()
				}
				start := time.Now()
				conn, err := n.dial(ctx)
				if took := time.Since(start); !errors.Is(err, tt.want) || took != tt.after || n.first != tt.first {
					t.Errorf("%v after %s, then %s; want %v after %s, then %s", err, took, n.first, tt.want, tt.after, tt.first)
				}
				if conn != nil {
					_ = conn.Close()
				}
			})
		})
	}
}
