package proxy

import (
	"fmt"
	"net/http"
	"testing"

	"github.com/plimsoll-go/plimsoll/cmd/plimsoll/internal/config"
)

// What one caller brings along that the service goes by, and nothing in the key of
// what is stored, is not what the next one is answered.
func TestNobodyIsAnsweredByWhatAnotherSays(t *testing.T) {
	for name, c := range map[string]struct {
		trust string
		looks []string // the service looks at these
		vary  string
		first []string // brings one
		then  []string // and the next
	}{
		"struck out, in Vary":       {"", []string{"Accept-Language"}, "Accept-Language", []string{"Accept-Language", "de", "Connection", "accept-language"}, []string{"Accept-Language", "de"}},
		"struck out, the tenant":    {"", []string{"X-Tenant"}, "", []string{"X-Tenant", "blue", "Connection", "close, X-Tenant"}, []string{"X-Tenant", "blue"}},
		"two tenants":               {"", []string{"X-Tenant"}, "", []string{"X-Tenant", "blue", "X-Tenant", "red"}, []string{"X-Tenant", "blue"}},
		"told to answer with less":  {"trust: {everyone: true}", []string{"Plimsoll-Degrade"}, "", []string{"Plimsoll-Degrade", "reviews"}, nil},
		"less, if anything":         {"trust: {everyone: true}", []string{"Plimsoll-Degrade"}, "", []string{"Plimsoll-Degrade", "reviews", "If-None-Match", `"1"`}, nil},
		"a prefix, of nobody":       {"", []string{"X-Forwarded-Prefix", "X-Forwarded-Port"}, "", []string{"X-Forwarded-Prefix", "//evil.test", "X-Forwarded-Port", "7"}, nil},
		"a prefix, of who is known": {"trust: {everyone: true}", []string{"X-Forwarded-Prefix"}, "", []string{"X-Forwarded-Prefix", "/shop"}, nil},
		"a client's certificate":    {"trust: {everyone: true}", []string{"X-Forwarded-Client-Cert"}, "", []string{"X-Forwarded-Client-Cert", "URI=one"}, []string{"X-Forwarded-Client-Cert", "URI=two"}},
		"a criticality that is not believed": {"", []string{"X-Request-Criticality"}, "X-Request-Criticality",
			[]string{"X-Request-Criticality", "CRITICAL_PLUS"}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			s := new(shelf)
			s.does(func(w http.ResponseWriter, r *http.Request) {
				w.Header().Set("Cache-Control", "max-age=60")
				if c.vary != "" {
					w.Header().Set("Vary", c.vary)
				}
				for _, name := range c.looks {
					fmt.Fprintf(w, "%q ", r.Header[name])
				}
			})
			r := play(t, c.trust+`
upstreams: {shop: {endpoints: [http://shop]}}
classes: {default: {tenantHeader: X-Tenant}}
routes: [{cache: {}}]
`, map[string]http.Handler{"shop": s})
			client := r.client()
			want := r.send(client, r.request("/alone", c.then...)).body
			r.send(client, r.request("/a", c.first...))
			for range 2 {
				if a := r.send(client, r.request("/a", c.then...)); a.body != want {
					t.Errorf("got %s, %q, want %s", a.body, a.Header["Cache-Status"], want)
				}
			}
			r.cacheAtRest()
		})
	}
}

// What is changed by one route is dropped where another stores it (RFC 9111 4.4).
func TestChangesByAnotherRoute(t *testing.T) {
	for _, trust := range []string{"", "trust: {everyone: true}"} {
		s := new(shelf)
		s.says(200, "ok", "Cache-Control", "max-age=60")
		r := play(t, trust+`
upstreams: {shop: {endpoints: [http://shop]}}
routes:
- {name: reads, match: {path: /shop/*, methods: [GET, HEAD]}, cache: {}}
- {name: others, match: {path: /shop/*, headers: {X-Beta: "*"}}, cache: {}}
- {name: writes}
`, map[string]http.Handler{"shop": s})
		client := r.client()
		change := func(method, path string) {
			t.Helper()
			req := r.request(path)
			req.Method = method
			if a := r.send(client, req); a.StatusCode != 200 || a.Header.Get("Cache-Status") != "" {
				t.Error(a.StatusCode, a.Header)
			}
		}
		r.send(client, r.request("/shop/a"))
		change("POST", "/shop/b")
		change("OPTIONS", "/shop/a")
		r.wantCached(r.send(client, r.request("/shop/a")), 200, "ok", "hit")
		change("POST", "/shop/a")
		r.wantCached(r.send(client, r.request("/shop/a")), 200, "ok", "fwd=uri-miss")
		r.cacheAtRest()
	}
}

// Who matters does not wait for the fetch of one who matters less, which waits
// in the queue of the gate behind all others.
func TestNoWaitingForWhoMattersLess(t *testing.T) {
	full := newStuck()
	s := new(shelf)
	s.does(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Cache-Control", "max-age=60")
		full.ServeHTTP(w, r)
	})
	r := start(t, s, func(c *config.Config) {
		caching(c)
		c.Gates[0].Limit, c.Gates[0].MaxWait = 1, patience
	})
	held := r.fill(1, "/hold", full)
	client, ended := r.client(), make(chan int, 3)
	for i, c := range []struct {
		criticality string
		depth       int
	}{{"SHEDDABLE", 1}, {"CRITICAL", 2}, {"SHEDDABLE_PLUS", 2}} {
		go func() {
			a, err := fetch(client, r.request("/a", "X-Request-Criticality", c.criticality))
			if err != nil {
				t.Error(err)
				ended <- 0
				return
			}
			ended <- a.StatusCode
		}()
		r.until("the next one waits", func() bool {
			return r.cache.Snapshot().Waiting == int64(2+i) && r.Snapshot().Depth == c.depth
		})
	}
	close(full.let)
	r.drained(held, 1, 200)
	for range 3 {
		if status := <-ended; status != 200 {
			t.Errorf("answered %d", status)
		}
	}
	r.cacheAtRest()
}
