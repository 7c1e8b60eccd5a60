// Package upstream is one service behind the proxy: its endpoints, the choice
// among them, and the connections to them.
//
// A [Service] is an http.RoundTripper, made by [New]. A request goes to the
// endpoint that has least to do. What an endpoint refused or failed lately
// counts as work that it still has ([balance.pick]): an endpoint that answers
// quickly because it does nothing must not draw traffic. An endpoint that
// fails again and again is left out for a while ([balance.eject]), then gets one
// request as a probe, then its share in steps.
//
// What is told apart, and what counts for what:
//
//	                                              load   ejection
//	an answer below 500, other than 429           –      ends the streak
//	429, 503, x-envoy-overloaded, Proxy-Status
//	connection_limit_reached, gRPC UNAVAILABLE
//	and RESOURCE_EXHAUSTED, HTTP/2 REFUSED_STREAM
//	and ENHANCE_YOUR_CALM                         yes    –
//	500 and other 5xx, gRPC UNKNOWN, INTERNAL,
//	DATA_LOSS                                     yes    ends the streak
//	502, 504, no connection, a broken answer      yes    yes
//	no answer, since HTTP/2 reset the stream with
//	another code than INTERNAL_ERROR              yes    if it answers nobody
//	the caller left, its deadline passed, its
//	upload broke off; 504 when most of the time
//	is spent in which to answer; a header longer
//	than it takes, gRPC where it speaks HTTP/1.1;
//	left out by a GOAWAY                          –      –
//
// A 500 does not eject: it is the answer of a server that works, and whoever
// knows a request that a handler fails on could otherwise empty the service. For
// the same reason a stream that is reset ejects only where nothing has been answered
// for as long as an ejection takes at first: a server that goes on with others
// may have found the fault in what the caller has sent. A connection that is closed,
// and INTERNAL_ERROR, by which servers of HTTP/2 say the same, cannot be told from
// a process that breaks; there, atMost is the bound.
//
// Where no endpoint is left, which the configuration's atMost decides, RoundTrip
// answers at once with an [Error] of kind [NoEndpoint]; there is no panic mode that
// sends to all again.
//
// Nothing is sent twice by this package. A request whose connection could not
// be made was not sent, and goes to another endpoint, once. net/http sends a
// request again that is safe to repeat and whose kept connection was closed
// under it; over HTTP/2 also, whatever its method, what has no body and was refused,
// left out by a GOAWAY or reset with PROTOCOL_ERROR. That is counted, and bounded at
// [maxSends].
package upstream
