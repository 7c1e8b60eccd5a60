package proxy

import (
	"net/http"
	"net/netip"
	"strconv"
	"strings"
	"testing"

	"github.com/plimsoll-go/plimsoll/class"
	"github.com/plimsoll-go/plimsoll/cmd/plimsoll/internal/config"
)

// echo is a backend that shows the headers it was sent.
type echo chan *http.Request

func (e echo) ServeHTTP(_ http.ResponseWriter, r *http.Request) { e <- r }

// passed sends a request and returns what reached the backend.
func (r *rig) passed(e echo, headers ...string) *http.Request {
	r.Helper()
	if a := r.send(r.client(), r.request("/", headers...)); a.StatusCode != 200 {
		r.Fatalf("answered %d %q to %q", a.StatusCode, a.body, headers)
	}
	return <-e
}

// budget is the remaining time that a request carries, in milliseconds.
func budget(t *testing.T, h http.Header) int {
	t.Helper()
	v := h["X-Request-Timeout-Ms"]
	if len(v) != 1 {
		t.Fatalf("X-Request-Timeout-Ms: %q", v)
	}
	n, err := strconv.Atoi(v[0])
	if err != nil {
		t.Fatalf("X-Request-Timeout-Ms: %q", v)
	}
	return n
}

func TestH01UnreadableDeadlines(t *testing.T) {
	e := make(echo, 1)
	r := start(t, e, nil)
	values := []string{"", " ", "abc", "1.5.2", "10S", "1e3", "0x10", "+5", "１００", "99999999999999999999"}
	for _, v := range values {
		h := r.passed(e, "X-Request-Timeout-Ms", v).Header
		if ms := budget(t, h); ms > 15_000 || ms < 10_000 {
			t.Errorf("%q went on as %d ms, the default is 15 s", v, ms)
		}
	}
	if n := r.metrics()["plimsoll_deadline_invalid_total"]; n != float64(len(values)) {
		t.Errorf("%v counted as invalid", n)
	}
}

func TestH02LongDeadlines(t *testing.T) {
	e := make(echo, 1)
	for trusted, most := range map[bool]int{false: 15_000, true: 30_000} {
		r := start(t, e, func(c *config.Config) { c.Trust.Everyone = trusted })
		h := r.passed(e, "X-Request-Timeout-Ms", "9223372036854775807").Header
		if ms := budget(t, h); ms > most || ms < most*9/10 {
			t.Errorf("trusted %v: went on as %d ms", trusted, ms)
		}
		h = r.passed(e, "Content-Type", "application/grpc", "Te", "trailers", "Grpc-Timeout", "99999999H").Header
		if ms := budget(t, h); ms > most || ms < most*9/10 || !strings.HasSuffix(h.Get("Grpc-Timeout"), "u") && !strings.HasSuffix(h.Get("Grpc-Timeout"), "m") {
			t.Errorf("trusted %v: gRPC went on as %d ms, %q", trusted, ms, h["Grpc-Timeout"])
		}
		if n := r.metrics()["plimsoll_clamped_total"]; n != 2 {
			t.Errorf("%v counted as clamped", n)
		}
	}
}

func TestH03ExpiredDeadlines(t *testing.T) {
	backend := newStuck()
	r := start(t, backend, nil)
	for _, v := range []string{"0", "-0", "-1", "-9223372036854775808"} {
		a := r.send(r.client(), r.request("/", "X-Request-Timeout-Ms", v))
		if a.StatusCode != http.StatusGatewayTimeout || a.Header.Get("Retry-After") != "" {
			t.Errorf("%q: %d, Retry-After %q", v, a.StatusCode, a.Header.Get("Retry-After"))
		}
	}
	if s := r.Snapshot(); backend.hits.Load() != 0 || s.HighInFlight != 0 {
		t.Errorf("%d reached the backend, %d had a slot", backend.hits.Load(), s.HighInFlight)
	}
}

func TestH06Criticality(t *testing.T) {
	const secret = "top\xc3\xa9"
	e := make(echo, 1)
	for _, c := range []struct {
		value   string
		trusted bool
		want    string
		invalid bool
	}{
		{"sheddable", false, "SHEDDABLE", false},
		{" critical ", false, "CRITICAL", false},
		{"Critical_Plus", false, "CRITICAL", false}, // more than the route gives
		{"critical_plus", true, "CRITICAL_PLUS", false},
		{"critical, sheddable", true, "CRITICAL", true},
		{"urgent", true, "CRITICAL", true},
		{secret, true, "CRITICAL", true},
		{strings.Repeat("x", 64<<10), true, "CRITICAL", true},
	} {
		r := start(t, e, func(s *config.Config) { s.Trust.Everyone = c.trusted })
		h := r.passed(e, "X-Request-Criticality", c.value).Header
		want := c.want
		if c.invalid {
			want = "" // nobody has said anything: the next hop decides for itself
		}
		if got := strings.Join(h["X-Request-Criticality"], "|"); got != want {
			t.Errorf("%.30q, trusted %v, went on as %.30q", c.value, c.trusted, got)
		}
		m := r.metrics()
		if m[`plimsoll_arrivals_total{class="`+c.want+`",gate="upstream"}`] != 1 || m["plimsoll_criticality_invalid_total"] != map[bool]float64{true: 1}[c.invalid] {
			t.Errorf("%.30q: counted wrongly", c.value)
		}
	}
}

// What is ours is set after what a caller can strike out by Connection.
func TestConnectionCannotStripHeaders(t *testing.T) {
	e := make(echo, 1)
	r := start(t, e, func(c *config.Config) { c.Trust.Everyone = true })
	h := r.passed(e, "Connection", "X-Request-Timeout-Ms, X-Request-Criticality, X-Forwarded-For, close",
		"X-Request-Timeout-Ms", "2000", "X-Request-Criticality", "SHEDDABLE").Header
	if ms := budget(t, h); ms > 2000 || h.Get("X-Request-Criticality") != "SHEDDABLE" || h.Get("X-Forwarded-For") == "" {
		t.Errorf("the backend got %v", h)
	}
}

func TestForwarding(t *testing.T) {
	e := make(echo, 1)
	given := []string{
		"X-Forwarded-For", "192.0.2.1", "X-Forwarded-Proto", "https", "X-Forwarded-Host", "shop.example",
		"Baggage", "criticality=critical_plus,user=7", "X-Request-Attempt", "9", "Grpc-Timeout", "1S",
	}
	public := start(t, e, nil).passed(e, given...)
	trusted := start(t, e, func(c *config.Config) {
		c.Trust.Networks = []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}
	}).passed(e, given...)
	for _, c := range []struct {
		name, key, want string
		r               *http.Request
	}{
		{"a forged origin", "X-Forwarded-For", "127.0.0.1", public},
		{"a forged scheme", "X-Forwarded-Proto", "http", public},
		{"a trusted hop's origin", "X-Forwarded-For", "192.0.2.1, 127.0.0.1", trusted},
		{"a trusted hop's scheme", "X-Forwarded-Proto", "https", trusted},
		{"a trusted hop's host", "X-Forwarded-Host", "shop.example", trusted},
		{"baggage that claims too much", "Baggage", "user=7,criticality=CRITICAL", public},
		{"no client's name that it did not give", "User-Agent", "Go-http-client/1.1", public},
	} {
		if got := strings.ReplaceAll(c.r.Header.Get(c.key), " ", ""); !strings.EqualFold(got, strings.ReplaceAll(c.want, " ", "")) {
			t.Errorf("%s: %s is %q, want %q", c.name, c.key, got, c.want)
		}
	}
	r := start(t, e, nil)
	req := r.request("/a//b%2Fc?x=1;y=2&z=%zz")
	req.Host = "shop.example"
	r.send(r.client(), req)
	if got := <-e; got.RequestURI != "/a//b%2Fc?x=1;y=2&z=%zz" || got.Host != "shop.example" {
		t.Errorf("the backend got %q of %q", got.RequestURI, got.Host)
	}
}

func TestRoutesClassify(t *testing.T) {
	routes := []config.Route{
		{Match: config.Match{Path: "/checkout/*", Methods: []string{"POST"}}, Criticality: class.CriticalPlus},
		{Match: config.Match{Headers: []config.HeaderMatch{{Name: "X-Plan", Value: "free"}}}, Criticality: class.Sheddable},
		{Match: config.Match{Headers: []config.HeaderMatch{{Name: "X-Batch", Value: "*"}}}, Criticality: class.SheddablePlus},
		{Match: config.Match{Path: "/live"}, Stream: true},
		{},
	}
	for _, c := range []struct {
		method, path string
		headers      []string
		trusted      bool
		want         class.Criticality
	}{
		{"POST", "/checkout/7", nil, false, class.CriticalPlus},
		{"GET", "/checkout/7", nil, false, class.Critical},
		{"POST", "/cheap/../checkout/7", nil, false, class.CriticalPlus},
		{"POST", "/checkout/../cheap", nil, false, class.Critical},
		{"GET", "/", []string{"X-Plan", "free"}, false, class.Sheddable},
		{"GET", "/", []string{"X-Plan", "gold"}, false, class.Critical},
		{"GET", "/", []string{"X-Batch", ""}, false, class.SheddablePlus},
		{"POST", "/checkout/7", []string{"X-Plan", "free"}, false, class.CriticalPlus}, // the first that matches
		{"GET", "/", []string{"X-Plan", "free", "X-Request-Criticality", "critical"}, false, class.Sheddable},
		{"GET", "/", []string{"X-Plan", "free", "X-Request-Criticality", "critical"}, true, class.Critical},
		{"POST", "/checkout/7", []string{"X-Request-Criticality", "sheddable"}, false, class.Sheddable},
		{"POST", "/checkout/7", []string{"X-Request-Criticality", "critical_plus"}, false, class.CriticalPlus},
		{"GET", "/", []string{"Sec-Purpose", "prefetch"}, false, class.Sheddable},
		{"POST", "/checkout/7", []string{"Sec-Purpose", "prefetch"}, false, class.CriticalPlus},
	} {
		e := make(echo, 1)
		r := start(t, e, func(s *config.Config) {
			s.Trust.Everyone = c.trusted
			only := s.Routes[0]
			s.Routes = nil
			for _, route := range routes {
				route.Upstream, route.Gate, route.Class = only.Upstream, only.Gate, only.Class
				route.Timeout, route.MaxTimeout = only.Timeout, only.MaxTimeout
				s.Routes = append(s.Routes, route)
			}
		})
		req := r.request(c.path, c.headers...)
		req.Method = c.method
		r.send(r.client(), req)
		<-e
		r.atRest()
		if s := r.Snapshot(); s.Classes[c.want.Lane()].Arrived != 1 {
			t.Errorf("%s %s %q, trusted %v: not %s", c.method, c.path, c.headers, c.trusted, c.want)
		}
	}
}

// What hops tell one another does not come in from outside.
func TestH20InternalHeaders(t *testing.T) {
	e := make(echo, 1)
	given := []string{
		"X-Request-Attempt", "99", "X-Envoy-Max-Retries", "1000000", "X-Envoy-Overloaded", "true", "Plimsoll-Degraded", "1",
		"Plimsoll-Retry-After-Ms", "0", "L5d-Retry-Limit", "99",
	}
	public := start(t, e, nil).passed(e, given...).Header
	trusted := start(t, e, func(c *config.Config) { c.Trust.Everyone = true }).passed(e, given...).Header
	for i := 0; i < len(given); i += 2 {
		name, want := given[i], given[i+1]
		if name == "X-Request-Attempt" {
			if public.Get(name) != "16" || trusted.Get(name) != "16" {
				t.Errorf("%s: %q and %q", name, public.Get(name), trusted.Get(name))
			}
			continue
		}
		if public.Get(name) != "" || trusted.Get(name) != want {
			t.Errorf("%s: %q of anybody, %q of a trusted caller", name, public.Get(name), trusted.Get(name))
		}
	}
}
