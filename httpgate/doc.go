// Package httpgate puts a [plimsoll.Gate] in front of an [http.Handler], and a
// client behind an [http.RoundTripper].
//
//	gate, err := plimsoll.New(plimsoll.Config{})
//	http.ListenAndServe(":8080", httpgate.Handler(gate, app))
//
// The handler belongs outermost: before authentication, before logging of
// bodies, before anything reads the body. What is refused has then cost a look
// at its headers and one prepared answer.
//
// # Refusals
//
//	no room        503, or Config.StatusFull   Retry-After, Plimsoll-Retry-After-Ms
//	deadline gone  504                         no Retry-After: a retry would be late too
//	draining       503                         Retry-After, and the connection closes: another instance is the better place
//	caller left    499                         for whoever logs; nobody reads it
//
// Each says why in Proxy-Status (RFC 9209), such as
//
//	Proxy-Status: plimsoll; error=connection_limit_reached; details="queue_full"
//
// where details is the [plimsoll.Reason]. A gRPC request over HTTP/2 gets a
// Trailers-Only answer instead: UNAVAILABLE with grpc-retry-pushback-ms, or
// DEADLINE_EXCEEDED.
//
// An HTTP/1.1 connection stays usable after a refusal if the request has no
// body, or one of a known length up to 64 KiB, which is waited for, as long as
// [Config.Await] has it. Other bodies are not waited for: the answer goes out at once and the
// connection closes after it. A body that was to follow 100 Continue is never
// asked for, and its connection closes as well. HTTP/2 connections are not
// affected.
//
// # Deadlines
//
// The deadline of a request is the caller's (see [wire.Config]), or that of
// its context if that is earlier, and bounds both the wait for a slot and the
// handler: the handler's context ends with [context.DeadlineExceeded]. So it
// does when [http.Server.WriteTimeout] has passed, after which no answer can
// leave an HTTP/1.1 connection although net/http keeps the context alive;
// [http.ResponseController.SetWriteDeadline] moves that end along. A handler
// that is stuck does not see its context end: so reading a body that trickles
// in fails at the deadline, and writing to a caller who does not read fails a
// second later, unless the answer is a stream. A handler
// that returns after its deadline and has written nothing gets 504 written for
// it, as net/http would otherwise report an empty success.
//
// A caller whose connection ends, even one that only closes its sending side,
// counts as gone: its place in the queue is free at once, and its handler's
// context is cancelled. This is how net/http sees it.
//
// # Streams
//
// What announces itself as long-lived leaves its slot at its first byte and is
// counted as a stream: a hijacked connection (WebSocket), a 101, a successful
// CONNECT, a text/event-stream answer, and the routes of Config.Streams. The
// caller's deadline bounds such work until then and no further.
//
// # Ending
//
// [plimsoll.Gate.Drain] refuses what is new, over connections that close, so that
// callers go to another instance. Then [http.Server.Shutdown] waits for what was
// admitted, and [plimsoll.Gate.Close] also for hijacked connections, which
// Shutdown does not know.
//
// # What answers can tell
//
// With Config.ServerTiming an answer says how long it waited and how long the
// handler took to begin it; with Config.LoadReport it carries the gate's load,
// see [Load]. Callers who are trusted ask for either by the request header
// Plimsoll-Want: server-timing, load-report.
//
// # Calls
//
// [Transport] makes the calls of an [http.Client] through a client of package
// client: throttle, breaker, places and retries within a budget, with every
// attempt told what is left.
//
//	stock := &http.Client{Transport: httpgate.Transport(c, nil)}
//	r, err := http.NewRequestWithContext(r.Context(), "GET", "http://stock/items", nil)
//
// A client is for one destination, so there is one of these for each; a map of
// them by host would grow with whatever hosts callers name. A call made with
// the context of a request that has passed a gate inherits its criticality,
// attempt and deadline.
//
// An answer that was not, or no longer, retried says so in Plimsoll-Gave-Up
// ([client.Error.GaveUp]).
// Passed on by a reverse proxy, it keeps the next transport from retrying as
// well; so does a refusal of a gate that names no time to come back.
//
// # The response writer
//
// The handler's writer has Flusher, Hijacker and Pusher exactly if the
// server's has, passes on ReaderFrom and StringWriter, and unwraps for
// [http.ResponseController]. It does not have the deprecated CloseNotifier;
// the request's context says the same.
//
// A slot is held until the handler has returned, whether or not its caller is
// still there: the work is.
package httpgate
