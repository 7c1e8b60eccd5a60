package e2e

import (
	"fmt"
	"net/http"
	"strconv"
	"strings"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"
)

// refused is a refusal in the form that its peer understands.
type refused struct{ reason string }

func (r *refused) Error() string { return "refused: " + r.reason }

// verdict is nil for a 200 and a *refused for a whole refusal. Everything else
// is a fault.
func verdict(code int, h http.Header, body string) error {
	if code == http.StatusOK {
		return nil
	}
	proxyStatus := h.Get("Proxy-Status")
	reason, ok := strings.CutPrefix(body, "refused: ")
	switch {
	case !ok:
		return fmt.Errorf("answered %d %q %v", code, body, h)
	case code == http.StatusServiceUnavailable:
		if s, err := strconv.Atoi(h.Get("Retry-After")); err != nil || s < 1 {
			return fmt.Errorf("a refusal with Retry-After %q", h.Get("Retry-After"))
		}
		if !strings.HasPrefix(proxyStatus, "plimsoll; error=connection_limit_reached;") {
			return fmt.Errorf("a refusal with Proxy-Status %q", proxyStatus)
		}
	case code == http.StatusGatewayTimeout:
		if !strings.HasPrefix(proxyStatus, "plimsoll; error=http_response_timeout;") {
			return fmt.Errorf("a refusal with Proxy-Status %q", proxyStatus)
		}
	default:
		return fmt.Errorf("a refusal with status %d", code)
	}
	if n := h.Get("Content-Length"); n != strconv.Itoa(len(body)) {
		return fmt.Errorf("a refusal of %d bytes with Content-Length %q", len(body), n)
	}
	return &refused{strings.TrimSpace(reason)}
}

// of is the verdict on an answer, and passes errors on.
func of(a answer, err error) error {
	if err != nil {
		return err
	}
	return verdict(a.StatusCode, a.Header, a.body)
}

// ofGRPC is the verdict on how a call ended, with its trailers.
func ofGRPC(err error, trailer metadata.MD) error {
	if err == nil {
		return nil
	}
	s := status.Convert(err)
	reason, ok := strings.CutPrefix(s.Message(), "plimsoll: refused: ")
	if !ok {
		return err
	}
	pushback := trailer.Get("grpc-retry-pushback-ms")
	switch s.Code() {
	case codes.Unavailable:
		if len(pushback) != 1 {
			return fmt.Errorf("a refusal with pushback %q: %w", pushback, err)
		}
		if ms, err := strconv.Atoi(pushback[0]); err != nil || ms < 1 {
			return fmt.Errorf("a refusal with pushback %q", pushback)
		}
	case codes.DeadlineExceeded:
	default:
		return fmt.Errorf("a refusal with %w", err)
	}
	return &refused{reason}
}
