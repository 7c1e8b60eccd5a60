package upstream

import (
	"errors"
	"strings"
)

// fromPeer is what net/http says of a stream that the other side has reset, and
// not net/http.
const fromPeer = "received from peer"

// reset says what it means that a server has given a stream of HTTP/2 up, or has
// not looked at it, while its connection may go on. False: it is something else.
// INTERNAL_ERROR is what servers send whose handler broke off, for which those of
// HTTP/1.1 close the connection: it is not told apart from that.
//
// Where a request has a body that cannot be sent again, net/http only quotes the
// error for which it would have been.
func reset(err error) (*Error, verdict, bool) {
	var stream streamError
	text := err.Error()
	quoted := strings.HasPrefix(text, "http2: Transport: cannot retry err [")
	fault := &Error{Kind: Broken, Err: err}
	switch is := errors.As(err, &stream); {
	case is && stream.Code == codeRefusedStream, quoted && strings.Contains(text, "; REFUSED_STREAM"):
		fault.Untouched = true
		return fault, verdict{kind: refused}, true
	case is && stream.Code == codeEnhanceYourCalm:
		fault.Overloaded = true
		return fault, verdict{kind: refused}, true
	case is && stream.Cause != nil && stream.Cause.Error() == fromPeer && stream.Code != codeInternalError,
		quoted && strings.Contains(text, "; PROTOCOL_ERROR"):
		fault.Dropped = true
		return fault, verdict{kind: dropped}, true
	case strings.Contains(text, "http2: Transport received Server's graceful shutdown GOAWAY"):
		fault.Untouched = true
		return fault, verdict{}, true
	}
	return nil, verdict{}, false
}

// resent says what a request has come to that was sent as often as it may be.
// Over HTTP/1.1, connections were closed without an answer. Over HTTP/2, net/http
// sends again what was refused, on the same connection, and, on another one, what
// was reset by PROTOCOL_ERROR or not looked at; the error it keeps to itself. If
// others needed connections meanwhile, what was refused may be taken for the
// latter.
func (a *attempt) resent() (*Error, verdict) {
	e := a.service.endpoints[a.at]
	others := uint64(a.sends.Load()) - 1 // than the first connection, if none was refused
	if a.most > 0 {
		others = 1 // than the last: it was kept from being sent there
	}
	switch {
	case e.via(&a.request, a.grpc) == e.h1 || e.scheme == "https" && !e.http2.Load():
		return &Error{Kind: Broken, Err: errResent}, verdict{kind: failed}
	case e.dialer.dials.Load()-a.dials < others:
		return &Error{Kind: Broken, Untouched: true, Err: errReset}, verdict{kind: refused}
	}
	return &Error{Kind: Broken, Dropped: true, Err: errReset}, verdict{kind: dropped}
}
