package fronts

import (
	"context"
	"io"
	"net/http"

	"github.com/go-kratos/aegis/ratelimit"
	"github.com/go-kratos/aegis/ratelimit/bbr"
)

const aegisRole = "aegis-proxy"

var aegis = Front{
	Name: "aegis", Title: "Go proxy, go-kratos/aegis 0.2.0",
	Tuned: "BBR.",
	start: func(_ context.Context, s Site) (*Process, error) { return Start(s.Self, aegisRole, s.Upstream) },
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
		proxy.ServeHTTP(w, r)
		done(ratelimit.DoneInfo{Err: r.Context().Err()})
	}), in, out)
}
