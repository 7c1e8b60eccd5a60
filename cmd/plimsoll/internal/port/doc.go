// Package port is where traffic comes in: a listening socket with its bounds
// and its certificate, and the servers behind it.
//
// [Open] binds a [Port], Serve serves it. HTTP/1.1 and HTTP/2 come in on one
// socket: without TLS as HTTP/2 is spoken by who knows that it is (h2c), with
// TLS as ALPN negotiates it. A certificate is exchanged while the port serves,
// by [Port.Renew].
//
// A port ends in two steps. [Port.Drain] asks those who are connected to go:
// HTTP/2 by GOAWAY, HTTP/1.1 by Connection: close. Who connects meanwhile is
// still let in, for one request, so that a refusal can be said to him rather
// than guessed from a closed port. [Port.Close] is the end.
package port
