package openloop

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"time"
)

// Transport is one that can hang up thousands of times a second: an HTTP/1.1
// client that hangs up loses its connection. See [Dial].
func Transport() *http.Transport {
	return &http.Transport{
		DisableCompression:  true,
		MaxIdleConnsPerHost: 1 << 14,
		DialContext:         func(ctx context.Context, _, address string) (net.Conn, error) { return Dial(ctx, address) },
	}
}

// Attempt sends one request and waits for its answer until the deadline, when
// it hangs up. A refused attempt keeps its connection. It says how that ended
// and how long it took.
func Attempt(ctx context.Context, via http.RoundTripper, r *http.Request, deadline time.Duration) (Outcome, time.Duration) {
	begin := time.Now() // no later than the deadline's clock begins
	ctx, cancel := context.WithTimeout(ctx, deadline)
	defer cancel()
	resp, err := via.RoundTrip(r.WithContext(ctx))
	if err == nil {
		_, err = io.Copy(io.Discard, resp.Body)
		_ = resp.Body.Close()
	}
	took := time.Since(begin)
	switch {
	case errors.Is(ctx.Err(), context.DeadlineExceeded) || took > deadline:
		return Late, took
	case err != nil:
		return Failed, took
	}
	return Of(resp.StatusCode), took
}

// Of says what a status means that came in time.
func Of(status int) Outcome {
	switch status {
	case http.StatusOK:
		return Good
	case http.StatusTooManyRequests, http.StatusServiceUnavailable, http.StatusGatewayTimeout:
		return Refused
	}
	return Failed
}
