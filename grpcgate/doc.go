// Package grpcgate puts a [plimsoll.Gate] in front of a gRPC server.
//
// What callers say travels in metadata under the names that package wire has,
// in lower case: x-request-criticality, baggage, criticality,
// x-request-attempt, plimsoll-signature. The deadline is gRPC's own.
package grpcgate
