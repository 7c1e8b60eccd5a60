// Package backend is a service for proxies to stand before: [New] has a path
// for every way in which HTTP can answer, [ListenHTTP] serves it over HTTP/1.1
// and HTTP/2, and [ListenGRPC] serves the test service of gRPC's own interop
// suite.
package backend
