// Package web measures what a handler costs behind a real net/http server,
// twice.
//
// [Loopback] serves requests that arrive over TCP on the loopback interface
// from another process, so that the processor time of this one is the server's
// alone, system calls included: the figure to quote. [Memory] serves the same
// requests from connections that are in memory and cost nothing: no system
// calls, little noise, and so a handler weighs several times as much. It is
// the figure to optimise by.
//
// Connections are kept alive; each has one request under way at a time.
package web
