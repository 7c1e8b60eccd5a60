// Package proxy is the sidecar: a gate in front of a service that may be
// written in any language.
//
// [New] builds a [Proxy] from settings, Listen binds its two ports, Serve
// runs it until its context ends and then drains. A request takes this path:
//
//	Proxy.ServeHTTP   trusted or not, by the address it came from
//	httpgate          exempt, or admitted, queued, refused; the deadline
//	classifier        criticality, level, tenant, by the configured rules
//	reverse proxy     forwarding headers, what is left of the deadline
//	Proxy.RoundTrip   the time in which the answer must begin
//	transport         HTTP/1.1, or HTTP/2 for gRPC and where it is configured
//
// Nothing of HTTP is written by hand: the path is net/http and
// [httputil.ReverseProxy], so upgrades, server-sent events, trailers, interim
// answers and cancellation work as they do there.
package proxy
