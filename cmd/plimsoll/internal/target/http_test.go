package target

import (
	"net/http"
	"net/http/httptest"
	"net/url"
	"testing"
	"time"

	"github.com/plimsoll-go/plimsoll/class"
	"github.com/plimsoll-go/plimsoll/cmd/plimsoll/internal/mix"
	"github.com/plimsoll-go/plimsoll/cmd/plimsoll/internal/openloop"
)

// dial makes a target that ends with the test.
func dial(t *testing.T, base string, o Options, classes ...*mix.Class) Target {
	t.Helper()
	u, err := url.Parse(base)
	if err != nil {
		t.Fatal(err)
	}
	s, err := Dial(u, classes, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	return s
}

func TestHeadersSayWhatTheCallerWants(t *testing.T) {
	var seen *http.Request
	s := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { seen = r }))
	defer s.Close()
	c := &mix.Class{Name: "a", Method: "PUT", Path: "/items?id=1", Header: http.Header{"Host": {"shop.example"}, "Accept": {"text/plain"}}}
	to := dial(t, s.URL+"/api/", Options{}, c)
	r := &mix.Request{Class: c, Path: c.Path, Tenant: "acme", Criticality: class.SheddablePlus, Level: 7}
	if a := to.Try(t.Context(), r, 2, 1500*time.Millisecond); a != (Answer{Outcome: openloop.Good}) {
		t.Fatalf("%+v", a)
	}
	if seen.Method != "PUT" || seen.URL.String() != "/api/items?id=1" || seen.Host != "shop.example" {
		t.Errorf("%s %s of %s", seen.Method, seen.URL, seen.Host)
	}
	for name, want := range map[string]string{
		"X-Request-Timeout-Ms": "1500", "X-Request-Criticality": "SHEDDABLE_PLUS", "Baggage": "criticality=sheddable_plus",
		"X-Request-Attempt": "2", "X-Tenant": "acme", "X-Request-Level": "7", "Accept": "text/plain", "User-Agent": "plimsoll-load",
	} {
		if got := seen.Header.Get(name); got != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
}

func TestNothingIsSentWithNoTimeLeft(t *testing.T) {
	c := &mix.Class{Name: "a"}
	to := dial(t, "http://127.0.0.1:1", Options{}, c)
	if a := to.Try(t.Context(), &mix.Request{Class: c}, 1, 0); a != (Answer{Outcome: openloop.Late, Unsent: true}) {
		t.Errorf("%+v", a)
	}
}
