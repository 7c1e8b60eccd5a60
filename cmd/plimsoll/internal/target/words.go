package target

// What an attempt has failed by that has no answer, or none that is one. What
// has one is named by its status, such as status_500 and grpc_internal.
const (
	failedResolve     = "resolve"     // the host has no address
	failedDial        = "dial"        // no connection could be made
	failedExhausted   = "exhausted"   // this machine has no local port, or no file descriptor, left
	failedTLS         = "tls"         // TLS could not be agreed on, or the certificate is not to be trusted
	failedReset       = "reset"       // the connection was reset before the answer's end
	failedClosed      = "closed"      // the connection was closed before the answer's end
	failedTooLong     = "too_long"    // the answer was longer than anybody reads
	failedProtocol    = "protocol"    // what came is no answer
	failedRequest     = "request"     // what was drawn for it cannot be sent: a path, a tenant, a message
	failedInterrupted = "interrupted" // the run was, or the target is closed
)

// Exhausted is the failure of an attempt for which this machine has no local port,
// or no file descriptor, left: it says nothing of the service.
const Exhausted = failedExhausted

// Who has refused that gives no reason.
const (
	refusedGaveUp           = "gave_up"           // a client or a proxy further on, that has tried often enough
	refusedStream           = "refused_stream"    // HTTP/2 itself: the service has not looked at it
	refusedEnvoy            = "envoy_overloaded"  // Envoy, for want of room
	refusedEnvoyRatelimited = "envoy_ratelimited" // Envoy, by a rate limit
)
