// Package wire carries criticality, attempt and remaining time between
// processes, in headers, and inside one, in a context.
//
//   - [Tag] is what is known of one piece of work. [With] puts it into a
//     context, [From] takes it out.
//   - [Config] says whom to trust and how far, and from which [Sources].
//     [Config.Read] turns request headers into an [Incoming], [Config.Write]
//     puts what is left of a deadline and a tag into the headers of the next
//     hop, in its [Dialects]. [Scrub] removes what hops tell one another.
//   - [Keyring] makes and verifies signatures, by which one that is trusted
//     vouches for one that is not.
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
//	criticality      X-Request-Criticality             these three at most what a signature says
//	                 Baggage                           member criticality
//	                 Criticality                       of a gRPC request
//	                 Plimsoll-Signature                what it says
//	                 Sec-Purpose: prefetch             SHEDDABLE, as a hint
//	                 Priority: u=0..7 (RFC 9218)       a hint, and only if asked for
//
//	attempt          X-Request-Attempt                 from 1; the higher of the two
//	                 Grpc-Previous-Rpc-Attempts        of a gRPC request, from 0
//
// # Signatures
//
//	Plimsoll-Signature: v1;k=edge-1;e=1730000060;c=CRITICAL_PLUS;l=42;t=2000;s=CODE
//
// k is the id of a key, e the expiry in Unix seconds, c the criticality that is
// vouched for, l the level (1 to 127) and t the timeout in milliseconds, which
// may both be absent; the order is fixed and there are no spaces. CODE is the
// HMAC-SHA256 of everything before ";s=" in base64url without padding. c and t
// are bounds: the headers above are believed up to them, and may say less. A
// signature covers no method, path or body: who has seen one can send it with
// other requests, which gains c, l and t until e, five minutes ahead at most.
// One that is wrong in any way counts as none.
//
// # What is guaranteed
//
// Input never panics and is never an error. What cannot be read is as if it
// were absent, is reported in Incoming so that it can be counted, and is not
// forwarded. Zero or less is a deadline that has passed, never the absence of
// one. What does not fit is clamped and never wraps. A header that occurs more
// than once counts by its least value: the shortest time, the lowest
// criticality, the highest attempt, so that repeating one gains nothing. A
// caller that is not trusted and has no signature can only lower itself.
//
// Reading does not allocate.
//
// Headers are maps with the keys that net/http uses (http.Header converts as
// it is); maps with other keys, such as gRPC metadata, are not read.
package wire
