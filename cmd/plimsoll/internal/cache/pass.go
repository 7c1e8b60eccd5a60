package cache

import (
	"net/http"
	"net/url"
	"strings"
)

// pass forwards a request that is nothing for a cache. One that is not safe
// takes with it what is stored of what it may have changed (RFC 9111 4.4).
func (h *handler) pass(w http.ResponseWriter, r *http.Request, why string) {
	h.count(r, Passed)
	if r.Method == http.MethodConnect || len(r.Header["Upgrade"]) > 0 && safe(r.Method) {
		h.policy.Forward.ServeHTTP(w, r)
		return
	}
	h.policy.Forward.ServeHTTP(&passWriter{w: w, h: h, r: r, why: why}, r)
}

// Past returns a writer for the answer to a request that is carried past the
// handler of a policy: it drops, as the handler does, what is stored by the policy
// of what a request that is not safe may have changed. For safe ones it is w itself.
func (c *Cache) Past(p *Policy, w http.ResponseWriter, r *http.Request) http.ResponseWriter {
	if safe(r.Method) {
		return w
	}
	return &passWriter{w: w, h: &handler{c, *p}, r: r}
}

// passWriter sees an answer begin.
type passWriter struct {
	w     http.ResponseWriter
	h     *handler
	r     *http.Request
	why   string // for Cache-Status; "": nothing is said there
	begun bool
}

// Header is that of the answer.
func (p *passWriter) Header() http.Header { return p.w.Header() }

// Unwrap is how http.ResponseController finds what else the server offers.
func (p *passWriter) Unwrap() http.ResponseWriter { return p.w }

// WriteHeader begins the answer, once nothing is stored any more that it
// contradicts: whoever has read it sees what he has done.
func (p *passWriter) WriteHeader(status int) {
	if status >= 200 && !p.begun {
		p.begun = true
		if status < 400 && !safe(p.r.Method) {
			p.h.invalidate(p.r, p.w.Header())
		}
		if p.why != "" {
			addStatus(p.w.Header(), "fwd="+p.why)
		}
	}
	p.w.WriteHeader(status)
}

// Write writes to the body.
func (p *passWriter) Write(b []byte) (int, error) {
	if !p.begun {
		p.WriteHeader(http.StatusOK)
	}
	return p.w.Write(b)
}

// FlushError begins the answer and sends what is there.
func (p *passWriter) FlushError() error {
	if !p.begun {
		p.WriteHeader(http.StatusOK)
	}
	return http.NewResponseController(p.w).Flush()
}

// Flush is FlushError for who looks for an http.Flusher.
func (p *passWriter) Flush() { _ = p.FlushError() } // as net/http's own, it cannot say

// safe reports whether a method changes nothing (RFC 9110 9.2.1). What is not
// known does.
func safe(method string) bool {
	switch method {
	case http.MethodGet, http.MethodHead, http.MethodOptions, http.MethodTrace:
		return true
	}
	return false
}

// invalidate drops what is stored under the target of a request, and under
// Location and Content-Location of its answer as far as they are of the same
// origin (RFC 9111 4.4).
func (h *handler) invalidate(r *http.Request, answer http.Header) {
	h.forget(r, targetOf(r))
	base := url.URL{Scheme: "http", Host: r.Host, Path: r.URL.Path, RawPath: r.URL.RawPath}
	if r.TLS != nil {
		base.Scheme = "https"
	}
	for _, name := range []string{"Location", "Content-Location"} {
		if v := answer[name]; len(v) > 0 {
			if at, err := base.Parse(v[0]); err == nil && at.Scheme == base.Scheme && strings.EqualFold(at.Host, base.Host) {
				h.forget(r, at.RequestURI())
			}
		}
	}
}

// forget drops a key. Who comes now does not join a fetch from before.
func (h *handler) forget(r *http.Request, target string) {
	key, ok := keyOf(&h.policy, r, target)
	if !ok {
		return
	}
	if h.c.store.drop(key) {
		h.c.counts.dropped.Add(1)
	}
	h.c.mu.Lock()
	delete(h.c.flights, key)
	h.c.mu.Unlock()
}
