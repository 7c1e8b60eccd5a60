package telemetry

import (
	"net"
	"net/http"
	"net/netip"
	"strings"
)

// guard keeps the pages of other sites from a handler that asks nobody for a
// password. They may have their visitor's browser send requests to it, which only
// act where they are POST; and, by DNS rebinding, have their own name resolve to its
// address, so that to the browser it is their own site and they read the answers.
// So a browser is answered only where it asks by a name that no site can have.
//
// Whatever is no browser asks by any name: Prometheus that of a service, kubelets
// an address.
func guard(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if browses(r.Header) && !private(r.Host) {
			answer(w, http.StatusForbidden, "ask by the address, as localhost, or by a name without a dot: to a browser, another name may be that of a site which leads here")
			return
		}
		next.ServeHTTP(w, r)
	})
}

// browses reports whether a browser has sent a request, or what passes for one, as
// Node's fetch does. A page cannot keep it from sending the first of these headers,
// and most send several.
func browses(h http.Header) bool {
	for _, name := range []string{"Accept-Language", "Origin", "Referer", "Sec-Fetch-Site", "Sec-Fetch-Mode"} {
		if _, ok := h[name]; ok {
			return true
		}
	}
	return strings.HasPrefix(h.Get("User-Agent"), "Mozilla/")
}

// private reports whether a Host is one that no site on the Internet can have:
// an address, a name without a dot, or one in a domain that is not delegated
// (RFC 6761, 6762, 8375; ICANN's .internal; Kubernetes's cluster.local).
func private(host string) bool {
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	host = strings.ToLower(strings.TrimSuffix(strings.Trim(host, "[]"), "."))
	if _, err := netip.ParseAddr(host); err == nil {
		return true
	}
	last := host[strings.LastIndexByte(host, '.')+1:]
	switch {
	case last == host:
		return host != ""
	case strings.HasSuffix(host, ".home.arpa"):
		return true
	}
	return last == "localhost" || last == "local" || last == "internal" || last == "test" || last == "svc"
}
