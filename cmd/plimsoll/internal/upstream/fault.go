package upstream

import (
	"errors"
	"net/textproto"
	"strings"
)

// fault says what an error of net/http is, and what it says of the endpoint.
func (a *attempt) fault(err error) (*Error, verdict) {
	why := a.why.Load()
	switch {
	case why == endedBudget, a.held && a.bound.Overdue():
		return &Error{Kind: OverBudget}, verdict{}
	case why == endedResent:
		return a.resent()
	case a.ctx.Err() != nil:
		return &Error{Kind: CallerGone, Err: a.outer.Context().Err()}, verdict{}
	case a.upload.broken.Load():
		return &Error{Kind: UploadBroken, Err: err}, verdict{}
	}
	var dial *dialError
	if errors.As(err, &dial) {
		// The dialer has counted it, or it says nothing.
		return &Error{Kind: dial.kind, Err: dial}, verdict{}
	}
	if fault, v, ok := reset(err); ok {
		return fault, v
	}
	// The request does not fit the endpoint, which says nothing of it: else any
	// caller could have it ejected.
	if tooLong(err) {
		return &Error{Kind: TooLong, Err: err}, verdict{}
	}
	if a.grpc && !a.service.endpoints[a.at].speaksHTTP2() {
		return &Error{Kind: NoHTTP2, Err: err}, verdict{}
	}
	kind := Broken
	var protocol textproto.ProtocolError
	if errors.As(err, &protocol) || errors.Is(err, errInterim) || errors.Is(err, errStatus) {
		kind = Malformed
	}
	return &Error{Kind: kind, Err: err}, verdict{kind: failed}
}

// tooLong reports whether an error of net/http says that the request's header is
// longer than the endpoint takes, for which it has no other name than the text.
func tooLong(err error) bool {
	return strings.HasSuffix(err.Error(), "request header list larger than peer's advertised limit")
}

// unsent reports whether a request has come to nothing before a byte of it was
// sent, and may go elsewhere.
func (a *attempt) unsent(err error) bool {
	var dial *dialError
	return errors.As(err, &dial) && a.sends.Load() == 0 && a.ctx.Err() == nil
}
