package proxy

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"golang.org/x/net/http2"
	"golang.org/x/net/http2/hpack"

	"github.com/plimsoll-go/plimsoll"
	"github.com/plimsoll-go/plimsoll/cmd/plimsoll/internal/config"
)

// upload asks to send a body, sends it if it may, and returns the statuses of
// all answers, the body of the last and whether the connection is to close.
func (r *rig) upload(head, body string) (statuses []int, text string, closes bool) {
	r.Helper()
	c := r.dial()
	defer c.Close()
	if _, err := io.WriteString(c, head); err != nil {
		r.Fatal(err)
	}
	in := bufio.NewReader(c)
	for {
		resp, err := http.ReadResponse(in, &http.Request{Method: "PUT"})
		if err != nil {
			r.Fatalf("after %v: %v", statuses, err)
		}
		statuses = append(statuses, resp.StatusCode)
		switch {
		case resp.StatusCode == http.StatusContinue:
			if _, err := io.WriteString(c, body); err != nil {
				r.Fatal(err)
			}
		case resp.StatusCode >= 200:
			b, err := io.ReadAll(resp.Body)
			if err != nil {
				r.Fatal(err)
			}
			return statuses, string(b), resp.Close
		}
	}
}

// Interim answers through the proxy: 100 once and only if admitted, 103 as the
// service says it.
func TestB38InterimAnswers(t *testing.T) {
	const size = 1 << 20
	head := fmt.Sprintf("PUT / HTTP/1.1\r\nHost: a\r\nContent-Length: %d\r\nExpect: 100-continue\r\n\r\n", size)
	r := play(t, "upstreams: {shop: {endpoints: [http://shop]}}\ngates: {shop: {limit: 1, maxQueue: 0}}", map[string]http.Handler{
		"shop": http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			n, err := io.Copy(io.Discard, r.Body)
			w.Header().Set("Link", "</style.css>; rel=preload")
			w.WriteHeader(http.StatusEarlyHints)
			fmt.Fprint(w, n, " ", err)
		}),
	})
	statuses, text, _ := r.upload(head, strings.Repeat("x", size))
	if fmt.Sprint(statuses) != "[100 103 200]" || text != fmt.Sprint(size, " <nil>") {
		t.Errorf("admitted: %v %q", statuses, text)
	}
	r.atRest()
	held, err := r.gates.all()[0].Acquire(t.Context(), plimsoll.Work{})
	if err != nil {
		t.Fatal(err)
	}
	statuses, text, closes := r.upload(head, "")
	held.Release(plimsoll.Ignored)
	if fmt.Sprint(statuses) != "[503]" || text != "refused: busy\n" || !closes {
		t.Errorf("shed: %v %q, closes %v", statuses, text, closes)
	}
}

// Expectations through the proxy.
func TestH17Expectations(t *testing.T) {
	e := make(echo, 1)
	r := play(t, "upstreams: {shop: {endpoints: [http://shop]}}\ngates: {shop: {limit: 1, maxQueue: 0}}", map[string]http.Handler{"shop": e})
	if statuses, _, _ := r.upload("PUT / HTTP/1.1\r\nHost: a\r\nExpect: 200-ok\r\n\r\n", ""); fmt.Sprint(statuses) != "[417]" {
		t.Errorf("an unknown one: %v", statuses)
	}
	if statuses, _, _ := r.upload("PUT / HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\n\r\n", ""); fmt.Sprint(statuses) != "[200]" {
		t.Errorf("without a body: %v", statuses)
	}
	<-e
	r.atRest()
	held, err := r.gates.all()[0].Acquire(t.Context(), plimsoll.Work{})
	if err != nil {
		t.Fatal(err)
	}
	defer held.Release(plimsoll.Ignored)
	for _, body := range []string{"Content-Length: 0", "Content-Length: 10", "Content-Length: 100000", "Transfer-Encoding: chunked"} {
		statuses, text, _ := r.upload("PUT / HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\n"+body+"\r\n\r\n", "")
		if fmt.Sprint(statuses) != "[503]" || text != "refused: busy\n" {
			t.Errorf("%s, shed: %v %q", body, statuses, text)
		}
	}
}

// Control bytes in a header are refused and reach nobody; what is not ASCII
// passes as it is, over both protocols.
func TestH07RequestHeaders(t *testing.T) {
	e := make(echo, 1)
	r := play(t, "upstreams: {shop: {endpoints: [http://shop]}}", map[string]http.Handler{"shop": e})
	for _, value := range []string{"a\x00b", "a\x1fb", "a\rb", "a\x7fb"} {
		if statuses, _, _ := r.upload("GET / HTTP/1.1\r\nHost: a\r\nX-City: "+value+"\r\n\r\n", ""); fmt.Sprint(statuses) != "[400]" {
			t.Errorf("%q: %v", value, statuses)
		}
	}
	if s := r.Snapshot(); s.HighInFlight != 0 || len(e) != 0 {
		t.Errorf("%d had a slot", s.HighInFlight)
	}
	for name, c := range map[string]*http.Client{"HTTP/1.1": r.client(), "HTTP/2": r.clientH2()} {
		if a := r.send(c, r.request("/", "X-City", "Zürich")); a.StatusCode != 200 {
			t.Fatalf("%s: %s", name, a.Status)
		}
		if got := (<-e).Header.Get("X-City"); got != "Zürich" {
			t.Errorf("%s: the service got %q", name, got)
		}
	}
}

// ask sends the header of a request over HTTP/2, as it is, and returns the
// status of the answer.
func (r *rig) ask(pseudo ...string) (status string) {
	r.Helper()
	c := r.dial()
	defer c.Close()
	f := http2.NewFramer(c, c)
	f.ReadMetaHeaders = hpack.NewDecoder(4096, nil)
	var block bytes.Buffer
	enc := hpack.NewEncoder(&block)
	for i := 0; i+1 < len(pseudo); i += 2 {
		_ = enc.WriteField(hpack.HeaderField{Name: pseudo[i], Value: pseudo[i+1]})
	}
	_, err := io.WriteString(c, http2.ClientPreface)
	err = errors.Join(err, f.WriteSettings(), f.WriteHeaders(http2.HeadersFrameParam{
		StreamID: 1, BlockFragment: block.Bytes(), EndStream: true, EndHeaders: true,
	}))
	for err == nil {
		var frame http2.Frame
		if frame, err = f.ReadFrame(); err == nil {
			if h, ok := frame.(*http2.MetaHeadersFrame); ok {
				return h.PseudoValue("status")
			}
		}
	}
	r.Fatal(err)
	return ""
}

// What two servers may read in two ways passes no gate.
func TestOnlyPlainPathsAreExempt(t *testing.T) {
	e := make(echo, 1)
	r := start(t, e, func(c *config.Config) {
		c.Gates[0].Limit, c.Gates[0].MaxQueue = 1, 0
		c.Exempt = []config.Pattern{"/health*"}
	})
	held, err := r.gates.all()[0].Acquire(t.Context(), plimsoll.Work{})
	if err != nil {
		t.Fatal(err)
	}
	defer held.Release(plimsoll.Ignored)
	for path, want := range map[string]int{
		"/health/live": 200, "/health/;v=1": 503, `/health/a\b`: 503, "/health/a%5cb": 503, "/health%2Fslug": 503,
	} {
		conn := r.dial()
		fmt.Fprintf(conn, "GET %s HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n", path)
		resp, err := http.ReadResponse(bufio.NewReader(conn), nil)
		if err != nil || resp.StatusCode != want {
			t.Errorf("%s: %+v, %v, want %d", path, resp, err, want)
		}
		conn.Close()
		if want == 200 {
			<-e
		}
	}
}

// A dot segment that one server sees and another does not is refused: by which
// route its request had to go cannot be said. What is a dot segment to everybody is
// resolved, and what is none to anybody is left alone.
func TestDotSegmentsOfTwoReadings(t *testing.T) {
	r := play(t, `
upstreams: {open: {endpoints: [http://open]}, admin: {endpoints: [http://admin]}}
routes: [{match: {path: /admin*}, upstream: admin}, {upstream: open}]`,
		map[string]http.Handler{"open": named("open"), "admin": named("admin")})
	for path, want := range map[string]string{
		"/open/..;/admin": "ambiguous path\n", "/open/..;a=b/admin": "ambiguous path\n", "/open/.;/..;/admin": "ambiguous path\n",
		"/open/%2e%2e;/admin": "ambiguous path\n", "/open/..%3b/admin": "ambiguous path\n", "/open/..;": "ambiguous path\n",
		`/open/..\admin`: "ambiguous path\n", `/open\..\admin`: "ambiguous path\n", "/open/..%5cadmin": "ambiguous path\n",
		"/open/..%2fadmin": "ambiguous path\n", "/open%2f..%2Fadmin": "ambiguous path\n", "/open%2f..": "ambiguous path\n",
		"/open/../admin": "admin", "/open/%2e%2E/admin": "admin", "//admin": "admin",
		"/open//../admin": "ambiguous path\n", "//open/./..//admin": "ambiguous path\n",
		"/open;v=1/x": "open", "/open/..a;b": "open", "/open/...;/x": "open", `/open/a\b`: "open", "/open/a%2Fb": "open", "/open/a..%2fb": "open",
		"/open?x=/..;/": "open", "/": "open", "*": "open",
	} {
		if _, text, _ := r.upload("GET "+path+" HTTP/1.1\r\nHost: a\r\n\r\n", ""); text != want {
			t.Errorf("%s: %q, want %q", path, text, want)
		}
	}
}

// What is a dot segment to everybody is resolved before its route is found, and the
// service gets what that was found by: one that resolves nothing would else serve
// "/dear" by the route of "/cheap".
func TestDotSegmentsAreResolved(t *testing.T) {
	r := start(t, http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) { fmt.Fprint(w, req.RequestURI) }), nil)
	for path, want := range map[string]string{
		"/dear/../cheap": "/cheap", "/a/./b/../c": "/a/c", "/a/b/..": "/a/", "/a/.": "/a/", "/..": "/", "/../../a": "/a", "/.": "/",
		"/a/%2e%2E/b%2Fc/./d%20e?x=/../y": "/b%2Fc/d%20e?x=/../y", "/a/../%41%c3%a4?": "/%41%c3%a4?",
		"/a//b%2Fc": "/a//b%2Fc", "/.a/..b/c.": "/.a/..b/c.", "http://a/b/../c": "/c", "*": "*",
	} {
		if _, text, _ := r.upload("GET "+path+" HTTP/1.1\r\nHost: a\r\n\r\n", ""); text != want {
			t.Errorf("%s: %q, want %q", path, text, want)
		}
	}
}

// A host that is none is refused over HTTP/2 as it is over HTTP/1.1. Passed on
// as an empty one, and joined with its path, the answer to "shop/x" and "/y"
// would be stored as that to "shop" and "/x/y".
func TestMalformedAuthority(t *testing.T) {
	s := &shelf{}
	s.does(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Cache-Control", "max-age=60")
		fmt.Fprint(w, r.Host, r.URL.Path)
	})
	r := start(t, s, caching)
	for _, host := range []string{"shop/x", "shop\u212A", "shop x", "shop\"", "shop\\x"} {
		if status := r.ask(":method", "GET", ":scheme", "http", ":authority", host, ":path", "/y"); status != "400" {
			t.Errorf("%q: %s", host, status)
		}
	}
	if n := s.hits.Load(); n != 0 {
		t.Errorf("the service had %d of them", n)
	}
	req := r.request("/x/y")
	req.Host = "shop"
	if a := r.send(r.client(), req); a.body != "shop/x/y" {
		t.Errorf("%d %q", a.StatusCode, a.body)
	}
	if status := r.ask(":method", "GET", ":scheme", "http", ":authority", "[::1]:80", ":path", "/y"); status != "200" {
		t.Errorf("an address: %s", status)
	}
}

// A target that is no path of a host would go on as another than the one that
// its route was found by; a method, a path or the name of a trailer that net/http
// refuses to send, or sends as what it is not, would count against the endpoint.
func TestMalformedRequestsGoNowhere(t *testing.T) {
	const settings = `
upstreams: {shop: {endpoints: [%s://shop]}}
gates: {dear: {limit: 1}, shop: {limit: 9}}
routes: [{match: {host: shop, path: /dear}, gate: dear}, {gate: shop}]`
	for _, scheme := range []string{"http", "h2c"} {
		e := make(echo, 9)
		r := play(t, fmt.Sprintf(settings, scheme), map[string]http.Handler{"shop": e})
		for what, head := range map[string]string{
			"absolute within a scheme": "GET x:http://shop/dear HTTP/1.1\r\nHost: a\r\n\r\n",
			"a scheme without a slash": "GET x:y HTTP/1.1\r\nHost: a\r\n\r\n",
			"trailer":                  "PUT / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\nTrailer: a b\r\n\r\n0\r\n\r\n",
		} {
			if statuses, text, _ := r.upload(head, ""); fmt.Sprint(statuses) != "[400]" || !strings.HasPrefix(text, "malformed ") {
				t.Errorf("%s, to %s: %v %q", what, scheme, statuses, text)
			}
		}
		for what, pseudo := range map[string][]string{
			"absolute within a scheme": {":method", "GET", ":path", "x:http://shop/dear"},
			"method":                   {":method", "GET /dear", ":path", "/"},
			"method of a request line": {":method", "GET / HTTP/1.1", ":path", "/"},
			"space in a query":         {":method", "GET", ":path", "/?a HTTP/1.1"},
			"space in a path":          {":method", "GET", ":path", "/a b"},
			"trailer":                  {":method", "GET", ":path", "/", "trailer", "a b"},
		} {
			if status := r.ask(append([]string{":scheme", "http", ":authority", "a"}, pseudo...)...); status != "400" {
				t.Errorf("%s, to %s over HTTP/2: %s", what, scheme, status)
			}
		}
		if s := r.table.Load().upstreams[0].Snapshot().Endpoints[0]; s.Chosen != 0 || len(e) != 0 {
			t.Errorf("%s: %+v", scheme, s.Counts)
		}
		for _, target := range []string{"/?a=%20b", "http://a/x?y", "*"} {
			if statuses, _, _ := r.upload("GET "+target+" HTTP/1.1\r\nHost: a\r\n\r\n", ""); fmt.Sprint(statuses) != "[200]" {
				t.Errorf("%s, to %s: %v", target, scheme, statuses)
			}
		}
		if status := r.ask(":scheme", "http", ":authority", "a", ":method", "M-SEARCH", ":path", "/", "trailer", "x-sum"); status != "200" {
			t.Errorf("a well-formed one, to %s over HTTP/2: %s", scheme, status)
		}
	}
}
