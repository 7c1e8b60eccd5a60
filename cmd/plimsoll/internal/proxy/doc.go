// Package proxy is the sidecar: gates in front of services that may be written
// in any language.
//
// [New] builds a [Proxy] from a configuration, Listen binds its ports, Serve
// runs it until its context ends and then drains. A request takes this path:
//
//	port              a bounded socket; its server reads the header
//	table.serve       the route, by host, path, method and headers; 404 without one
//	table.exempt      past the gate, or:
//	trusts            one of the route's two gated paths, by the address it came from
//	cache             of routes that have one: what is stored is answered here
//	httpgate          admitted, queued, refused; the deadline
//	classifier        criticality, level, tenant, by the route's class
//	reverse proxy     forwarding headers, what is left of the deadline
//	forwarder         the time in which the answer must begin
//	egress            where the upstream has it: throttle, breaker, retries
//	backend           an endpoint, and a connection to it
//
// A configuration becomes a table, which never changes. Loading another makes
// another table and swaps the pointer: requests end on the table that they
// began with. Gates and backends go from table to table for as long as their
// settings stay what they are; see [Proxy.Reload].
//
// Nothing of HTTP is written by hand: the path is net/http and
// [httputil.ReverseProxy], so upgrades, server-sent events, trailers, interim
// answers and cancellation work as they do there.
package proxy
