// Package wire carries criticality, attempt and remaining time between
// processes, in headers, and inside one, in a context.
//
//   - [Tag] is what is known of one piece of work. [With] puts it into a
//     context, [From] takes it out.
//   - [Config] says whom to trust and how far. [Config.Read] turns request
//     headers into an [Incoming], [Config.Write] puts what is left of a
//     deadline and a tag into the headers of the next hop.
//   - [EncodeGRPCTimeout] and [DecodeGRPCTimeout] are the format of
//     grpc-timeout.
//
// # What is read
//
// The first line of each list that can be read wins.
//
//	remaining time   Grpc-Timeout                      of a gRPC request
//	                 Connect-Timeout-Ms                unless it is gRPC
//	                 X-Request-Timeout-Ms              or Config.TimeoutHeader
//	                 X-Envoy-Expected-Rq-Timeout-Ms
//	                 Config.DefaultTimeout
//
//	criticality      X-Request-Criticality
//	                 Baggage                           member criticality
//	                 Criticality                       of a gRPC request
//	                 Sec-Purpose: prefetch             SHEDDABLE, as a hint
//	                 Priority: u=0..7 (RFC 9218)       a hint, and only if asked for
//
//	attempt          X-Request-Attempt                 from 1
//	                 Grpc-Previous-Rpc-Attempts        of a gRPC request, from 0
//
// # What is guaranteed
//
// Input never panics and is never an error. What cannot be read is as if it
// were absent, is reported in Incoming so that it can be counted, and is not
// forwarded. Zero or less is a deadline that has passed, never the absence of
// one. What does not fit is clamped and never wraps. A header that occurs more
// than once counts by its least value: the shortest time, the lowest
// criticality, the highest attempt, so that repeating one gains nothing. A
// caller that is not trusted can only lower itself.
//
// Reading does not allocate.
//
// Headers are maps with the keys that net/http uses (http.Header converts as
// it is); maps with other keys, such as gRPC metadata, are not read.
package wire
