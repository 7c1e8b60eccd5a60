package fronts

import (
	"context"
	"errors"
	"io"
	"net/http"
	"time"

	"github.com/failsafe-go/failsafe-go"
	"github.com/failsafe-go/failsafe-go/adaptivelimiter"
	"github.com/failsafe-go/failsafe-go/priority"
)

const failsafeRole = "failsafe-proxy"

var failsafeGo = Front{
	Name: "failsafe", Title: "Go proxy, failsafe-go 0.9.8",
	Tuned: "The adaptive limiter with queueing and prioritized rejection, with the factors and the interval of [its documentation](https://failsafe-go.dev/adaptive-limiter/).",
	start: func(_ context.Context, s Site) (*Process, error) { return Start(s.Self, failsafeRole, s.Upstream) },
}

// priorities are failsafe-go's for our classes.
var priorities = map[string]priority.Priority{
	"CRITICAL_PLUS": priority.VeryHigh, "CRITICAL": priority.High, "SHEDDABLE_PLUS": priority.Low, "SHEDDABLE": priority.VeryLow,
}

// serveFailsafe is a proxy with failsafe-go's limiter.
func serveFailsafe(upstream string, in io.Reader, out io.Writer) error {
	proxy, err := reverseProxy(upstream)
	if err != nil {
		return err
	}
	p := adaptivelimiter.NewPrioritizer()
	defer p.ScheduleCalibrations(context.Background(), time.Second)()
	limited := failsafe.With(adaptivelimiter.NewBuilder[any]().WithQueueing(2, 3).BuildPrioritized(p))
	return serve(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		ctx := r.Context()
		if c, ok := priorities[r.Header.Get("X-Request-Criticality")]; ok {
			ctx = c.AddTo(ctx)
		} else {
			ctx = priority.High.AddTo(ctx)
		}
		err := limited.WithContext(ctx).RunWithExecution(func(e failsafe.Execution[any]) error {
			proxy.ServeHTTP(w, r.WithContext(e.Context()))
			return nil
		})
		if errors.Is(err, adaptivelimiter.ErrExceeded) {
			w.WriteHeader(http.StatusTooManyRequests)
		}
	}), in, out)
}
