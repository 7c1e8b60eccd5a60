package target

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"testing"
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
