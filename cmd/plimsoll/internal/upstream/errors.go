package upstream

import (
	"errors"
	"fmt"
	"net/http"
	"time"
)

// Kind says why a request has no answer.
type Kind uint8

// The kinds of errors.
const (
	// NoEndpoint: all endpoints are left out, for having failed.
	NoEndpoint Kind = iota
	// Resolve: the endpoint's name could not be resolved.
	Resolve
	// Connect: no connection could be made, or there were too many attempts
	// at it already.
	Connect
	// Handshake: TLS could not be agreed on, or the certificate is not to be
	// trusted.
	Handshake
	// Broken: the connection ended before an answer had begun.
	Broken
	// Malformed: what came is no answer that could be passed on: no HTTP, a
	// status that does not exist, headers or interim answers without end.
	Malformed
	// OverBudget: the answer has not begun in its time.
	OverBudget
	// CallerGone: the request's context has ended, which says how.
	CallerGone
	// UploadBroken: the body of the request broke off on the caller's side.
	UploadBroken
	// TooLong: the request's header is longer than the endpoint takes.
	TooLong
	// NoHTTP2: the request needs HTTP/2, which the endpoint has not been seen
	// to speak.
	NoHTTP2
	kinds
)

// kindTable has of each kind its name, the status that answers it and the
// error type of RFC 9209 2.3. Status 0: there is nobody to answer.
var kindTable = [kinds]struct {
	name   string
	status int
	cause  string
}{
	NoEndpoint:   {"no backend", http.StatusServiceUnavailable, "destination_unavailable"},
	Resolve:      {"no address", http.StatusBadGateway, "dns_error"},
	Connect:      {"no connection", http.StatusBadGateway, "destination_unavailable"},
	Handshake:    {"no TLS", http.StatusBadGateway, "tls_protocol_error"},
	Broken:       {"connection broken", http.StatusBadGateway, "connection_terminated"},
	Malformed:    {"malformed answer", http.StatusBadGateway, "http_protocol_error"},
	OverBudget:   {"no answer in time", http.StatusGatewayTimeout, "http_response_timeout"},
	CallerGone:   {"caller gone", 0, ""},
	UploadBroken: {"upload broken", 0, ""},
	TooLong:      {"header too long", http.StatusRequestHeaderFieldsTooLarge, "http_request_error"},
	NoHTTP2:      {"no HTTP/2", http.StatusBadGateway, "http_protocol_error"},
}

// String returns a short text.
func (k Kind) String() string { return kindTable[k].name }

// Status returns the status of the answer to the caller; 0: there is nobody
// to answer.
func (k Kind) Status() int { return kindTable[k].status }

// Cause returns the error type for Proxy-Status (RFC 9209 2.3); "" where
// Status is 0.
func (k Kind) Cause() string { return kindTable[k].cause }

// Error is the error of [Service.RoundTrip] and [Service.Do].
type Error struct {
	Kind Kind
	// Endpoint is where the request went, as it was configured; "" if it went
	// nowhere.
	Endpoint string
	// RetryAfter is, of NoEndpoint, how long until one is tried again.
	RetryAfter time.Duration
	// Untouched says, of Broken, that the endpoint has not begun with the request
	// (RFC 9113 8.7), and Overloaded that it wants fewer of them.
	Untouched, Overloaded bool
	// Dropped says, of Broken, that the endpoint has given up this request alone:
	// its connection goes on, and the fault may be in what the caller has sent.
	Dropped bool
	// Err is the cause; nil if the kind says it all.
	Err error
}

// Error says what, where and why.
func (e *Error) Error() string {
	text := "upstream: " + e.Kind.String()
	if e.Endpoint != "" {
		text += ": " + e.Endpoint
	}
	if e.Err != nil {
		text += ": " + e.Err.Error()
	}
	return text
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// What is found out here and not by net/http.
var (
	errResent  = errors.New("one connection after the other was closed without an answer")
	errReset   = errors.New("one stream after the other was reset")
	errInterim = fmt.Errorf("more than %d interim answers", maxInterim)
)

// dialError marks what went wrong before anything was sent.
type dialError struct {
	kind Kind
	err  error
}

func (e *dialError) Error() string { return e.err.Error() }
func (e *dialError) Unwrap() error { return e.err }

// streamError has the fields of net/http's error of a reset HTTP/2 stream,
// which errors.As finds by them.
type streamError struct {
	StreamID uint32
	Code     uint32
	Cause    error
}

func (e streamError) Error() string { return fmt.Sprintf("stream %d: code %d", e.StreamID, e.Code) }

// The codes of RFC 9113 7 that are told apart: the last two say "not now".
const (
	codeInternalError   = 0x2
	codeRefusedStream   = 0x7
	codeEnhanceYourCalm = 0xb
)
