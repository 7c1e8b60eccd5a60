// Package grpcgate puts a [plimsoll.Gate] in front of a gRPC server, and a
// [client.Client] in front of a connection to one.
//
//	gate, err := plimsoll.New(plimsoll.Config{})
//	server := grpc.NewServer(grpcgate.NewServer(gate, grpcgate.ServerConfig{}).Options()...)
//
//	to, err := client.New(client.Config{Margin: 2 * time.Millisecond})
//	conn, err := grpc.NewClient(target, credentials,
//		grpc.WithChainUnaryInterceptor(grpcgate.UnaryClientInterceptor(to)),
//		grpc.WithChainStreamInterceptor(grpcgate.StreamClientInterceptor(to)))
//
// What callers say travels in metadata under the names that package wire has,
// in lower case: x-request-criticality, baggage, criticality,
// x-request-attempt, plimsoll-signature. The deadline is gRPC's own; of a
// caller who brings none, or more than it is given, the configuration says how
// long it has. The context of a handler carries what its call is, so that calls
// made inside inherit it.
//
// # Refusals
//
//	no room        UNAVAILABLE         grpc-retry-pushback-ms, RetryInfo
//	draining       UNAVAILABLE         no pushback: another instance is the better place
//	deadline gone  DEADLINE_EXCEEDED   another attempt would be late too
//	dead letter    UNAVAILABLE         grpc-retry-pushback-ms: -1
//	caller left    CANCELLED           nobody reads it
//
// Each has an ErrorInfo in its details, whose domain is [ErrorDomain] and whose
// reason is the [plimsoll.Reason] in upper case. A handler that returns the
// error of a gate further down refuses by it; one that returns a
// [client.Error] that was given up has its call answered with
// grpc-retry-pushback-ms: -1, since what was given up below is not to be retried
// above, and RESOURCE_EXHAUSTED if that was for want of budget.
//
// # Streams
//
// A call that is answered by a stream leaves its slot with its first message
// and counts as a stream from there on, and it wants a place among the streams
// to be admitted. Where only the client streams, the call has its slot to its
// end. [Rule.Hold] says otherwise. The request of a unary call has been read
// before its gate is asked; a stream has its slot before anything of it is read,
// and its deadline bounds how long a slow sender keeps that.
//
// # Before the interceptors
//
// When grpc-go calls interceptors there is already a stream, a goroutine and, of a
// unary call, the request: a refusal costs about what a trivial answer does.
// [Server.Tap] refuses before that, and says what it costs.
//
// # Load reports
//
// [Server.Load] reports how loaded the gates are, in ORCA's form, by which
// gRPC's weighted round robin and Envoy steer: per request by
// [ServerConfig.LoadReport], out of band by [orca.Register]. Out of band
// reports take effect where the balancer asks for them.
//
// # Callers
//
// Whether a method may be called twice is for the caller to know: [ClientRule], the
// option idempotency_level of its .proto, or [Idempotent] for one call. See
// [ClientConfig.UnaryClientInterceptor] for what statuses mean, and
// [ClientConfig.StreamClientInterceptor] for how long a stream has its place.
package grpcgate
