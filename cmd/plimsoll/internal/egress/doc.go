// Package egress is how the proxy calls an upstream of which the configuration
// says more than where it is: throttle, breaker, and retries within a budget.
//
// A [Caller] is for one upstream and all routes to it. What decides is client,
// and the packages below it; here is what they ask of HTTP: what an answer
// means ([judge]), which endpoint is next, the body that is sent again, the
// headers of each attempt.
//
//	                                              breaker   another attempt
//	an answer below 500, other than 429           success   –
//	429, 503 with Retry-After, the refusal of a
//	gate or of Envoy, ENHANCE_YOUR_CALM           –         never here
//	gRPC UNAVAILABLE and RESOURCE_EXHAUSTED with
//	a pushback, and not of a gate                 –         after it
//	no connection, a broken answer, the attempt's
//	timeout, 500, 502, 503, 504                   as causes says, of each (*)
//	the refusal of a gate that drains             –         as causes says of 503
//	a stream that is reset while its connection
//	goes on                                       –         as causes says of broken
//	the caller's time is over                     hang      –
//	the caller left, its upload broke off, no
//	endpoint is left                              –         –
//
// (*) Without a breaker, what its causes are by default fails for the throttle.
//
// What may have been read is sent again if its method or an Idempotency-Key says
// so, and what was not, always; never where the body cannot be sent again, nor
// what a layer below has given up.
package egress
