package httpgate

import (
	"fmt"
	"io"
	"net/http"
	"strconv"

	"github.com/plimsoll-go/plimsoll"
)

// RetryAfterMsHeader says in milliseconds what Retry-After can only say in
// whole seconds.
const RetryAfterMsHeader = "Plimsoll-Retry-After-Ms"

// maxDrained is the longest unread body that a refusal waits for. Up to it a
// new connection costs more than what is left of the old one; net/http itself
// would wait for four times as much.
const maxDrained = 64 << 10

// answer is a refusal ready to be sent, one for each reason. Nothing of it may
// be changed: header maps share its slices.
type answer struct {
	status int
	retry  bool // Retry-After belongs, whatever the gate knows of the time
	leave  bool // whoever asked had better go elsewhere: the connection closes

	proxyStatus   []string
	contentLength []string
	body          []byte

	grpcStatus  []string
	grpcMessage []string
}

var (
	plainText  = []string{"text/plain; charset=utf-8"}
	closing    = []string{"close"}
	grpcAnswer = []string{"application/grpc"}
)

// prepareAnswers builds the answers once. The error types are those of RFC
// 9209 2.3 whose recommended status is the one that is sent. To that RFC the
// gate is the intermediary and the handler behind it the origin.
func prepareAnswers(full int) (answers [plimsoll.NumReasons]answer) {
	for i := range answers {
		reason := plimsoll.Reason(i)
		a := &answers[i]
		parameter, grpcCode := "error=connection_limit_reached; ", grpcUnavailable
		switch {
		case reason.DeadlineGone():
			a.status, parameter, grpcCode = http.StatusGatewayTimeout, "error=http_response_timeout; ", grpcDeadlineExceeded
		case reason == plimsoll.Draining:
			a.status, parameter = http.StatusServiceUnavailable, "error=destination_unavailable; "
			a.retry, a.leave = true, true
		case reason == plimsoll.Cancelled:
			a.status, parameter, grpcCode = StatusClientClosedRequest, "", grpcCancelled
		case reason == plimsoll.DeadLetter:
			a.status = full
		default:
			a.status, a.retry = full, true
		}
		a.body = fmt.Appendf(nil, "refused: %s\n", reason)
		a.proxyStatus = []string{fmt.Sprintf("plimsoll; %sdetails=%q", parameter, reason.String())}
		a.contentLength = []string{strconv.Itoa(len(a.body))}
		a.grpcStatus = []string{strconv.Itoa(grpcCode)}
		a.grpcMessage = []string{fmt.Sprintf("plimsoll: refused: %s", reason)}
	}
	return answers
}

// refuse sends the prepared answer to a request, of which body may be left;
// nil: that is the server's to see to. It allocates nothing: what a header map
// needs to grow is the server's.
func (h *handler) refuse(w http.ResponseWriter, r *http.Request, body io.Reader, ref *plimsoll.Refusal, wants wants) {
	a := &h.answers[ref.Reason]
	header := w.Header()
	grpc := isGRPC(r)
	if wants&wantLoad != 0 {
		tellLoad(header, "", h.load, grpc)
	}
	if grpc {
		h.refuseGRPC(w, header, a, ref)
		return
	}
	header["Content-Type"] = plainText
	header["Content-Length"] = a.contentLength
	header["Proxy-Status"] = a.proxyStatus
	if a.retry || ref.RetryAfter > 0 && !ref.Reason.DeadlineGone() {
		header["Retry-After"] = h.backoff.seconds(ref.RetryAfter)
		if ref.RetryAfter > 0 {
			header[RetryAfterMsHeader] = h.backoff.millis(ref.RetryAfter)
		}
	}
	// net/http answers only after it has read up to 256 KiB of a body, however
	// slowly that comes, unless the connection is to close.
	//
	// EnableFullDuplex looks like the remedy and is none: a handler that
	// leaves a body unread under it makes the connection panic on its next
	// request (golang/go#68560).
	if a.leave || r.ProtoMajor == 1 && (r.ContentLength < 0 || r.ContentLength > maxDrained) {
		header["Connection"] = closing // to HTTP/2, net/http sends GOAWAY
	} else if body != nil && r.ProtoMajor == 1 && r.ContentLength > 0 && !r.Close && len(r.Header["Expect"]) == 0 {
		h.readOut(body)
	}
	w.WriteHeader(a.status)
	if r.Method != http.MethodHead {
		w.Write(a.body)
	}
}

// readOut reads a body to its end, for the next request on its connection.
// net/http would do that itself, in pieces of 8 KiB, and for as long as the
// sender likes, whatever [Config.Await] has bounded it by.
func (h *handler) readOut(body io.Reader) {
	buffer := h.buffers.Get().(*[maxDrained / 2]byte)
	defer h.buffers.Put(buffer)
	for {
		if _, err := body.Read(buffer[:]); err != nil {
			return // net/http meets it as well, and judges
		}
	}
}
