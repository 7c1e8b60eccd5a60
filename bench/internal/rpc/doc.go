// Package rpc measures what the gate costs a gRPC server whose unary calls
// arrive over TCP on the loopback interface from another process, so that the
// processor time of this one is the server's alone, system calls included.
package rpc
