// Package relay measures `plimsoll proxy` beside a bare reverse proxy: what
// net/http/httputil has, with the same transport settings, buffers and heap and
// nothing added.
//
// Every part is a process of its own, the same program under several names:
// the service behind ([Service]), the bare proxy ([Bare]), the callers
// (package web), and the proxy's own program, which package process builds. The
// processor time of a proxy is that of its process alone, to the nanosecond, as
// Linux counts it; what it allocated it says itself. [Start] starts them all and
// returns the [Case]s.
package relay
