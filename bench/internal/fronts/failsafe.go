package fronts

import (
	"context"
	"errors"
	"io"
	"net/http"
	"strconv"
	"time"

	"github.com/failsafe-go/failsafe-go"
	"github.com/failsafe-go/failsafe-go/adaptivelimiter"
	"github.com/failsafe-go/failsafe-go/priority"

	"github.com/plimsoll-go/plimsoll/bench/internal/process"
)

const failsafeRole = "failsafe-proxy"

var failsafeGo = Front{
	Name: "failsafe", Title: "Go proxy, failsafe-go 0.9.8",
	Tuned: "The adaptive limiter with queueing and prioritized rejection, with the factors of [its documentation](https://failsafe-go.dev/adaptive-limiter/) and two " +
		"numbers that did better here than those: it begins at eight times the slots (`WithLimits(1, 200, 64)`; at 20, as it would by itself, it takes longer than a run to " +
		"reach what a slower dependency needs, and refuses a third until then), and the prioritizer is calibrated ten times a second, not once.",
	start: func(_ context.Context, s Site) (*process.Process, error) {
		return process.Start(s.Self, failsafeRole, s.Upstream, strconv.Itoa(8*s.Slots))
	},
}

// calibrate is how often the prioritizer looks at the queue.
const calibrate = 100 * time.Millisecond

// priorities are failsafe-go's for our classes.
var priorities = map[string]priority.Priority{
	"CRITICAL_PLUS": priority.VeryHigh, "CRITICAL": priority.High, "SHEDDABLE_PLUS": priority.Low, "SHEDDABLE": priority.VeryLow,
}

// serveFailsafe is a proxy with failsafe-go's limiter, which begins at a limit.
func serveFailsafe(upstream, limit string, in io.Reader, out io.Writer) error {
	proxy, err := reverseProxy(upstream)
	if err != nil {
		return err
	}
	first, err := strconv.ParseUint(limit, 10, 7)
	if err != nil {
		return err
	}
	p := adaptivelimiter.NewPrioritizer()
	defer p.ScheduleCalibrations(context.Background(), calibrate)()
	limited := failsafe.With(adaptivelimiter.NewBuilder[any]().WithLimits(1, 200, uint(first)).WithQueueing(2, 3).BuildPrioritized(p))
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
