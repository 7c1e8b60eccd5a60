package fronts

import (
	"context"
	"io"
	"net/http"

	"github.com/go-kratos/aegis/ratelimit"
	"github.com/go-kratos/aegis/ratelimit/bbr"

	"github.com/plimsoll-go/plimsoll/bench/internal/process"
)

const aegisRole = "aegis-proxy"

var aegis = Front{
	Name: "aegis", Title: "Go proxy, go-kratos/aegis 0.2.0",
	Tuned: "The BBR limiter as it is ([its options](https://pkg.go.dev/github.com/go-kratos/aegis@v0.2.0/ratelimit/bbr)), after every answer told of its end. It heeds latency " +
		"while the processor is busy only, by default from 80 %, which is not so while the work is done elsewhere. With a lower threshold (`WithCPUThreshold`, tried at 0 and 10 %) it " +
		"refuses two thirds and more of what is half the capacity when a dependency is slower, and a sixth and more at 1x; so it was left.",
	start: func(_ context.Context, s Site) (*process.Process, error) {
		return process.Start(s.Self, aegisRole, s.Upstream)
	},
}

// serveAegis is a proxy with aegis' limiter.
func serveAegis(upstream string, in io.Reader, out io.Writer) error {
	proxy, err := reverseProxy(upstream)
	if err != nil {
		return err
	}
	limiter := bbr.NewLimiter()
	return serve(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		done, err := limiter.Allow()
		if err != nil {
			w.WriteHeader(http.StatusTooManyRequests)
			return
		}
		defer func() { done(ratelimit.DoneInfo{Err: r.Context().Err()}) }() // also when an answer breaks off, by a panic
		proxy.ServeHTTP(w, r)
	}), in, out)
}
