package proxy

import (
	"log/slog"
	"sync/atomic"
	"time"

	"github.com/plimsoll-go/plimsoll/cmd/plimsoll/internal/upstream"
)

// failureLines is how many failures of services are logged in a second. A
// service that is down fails as often as it is asked.
const failureLines = 10

// lines lets a number of lines a second through, and counts the others. The
// zero value is ready; it may be used concurrently.
type lines struct {
	second, asked, leftOut atomic.Int64
}

// take reports whether a line may be logged at now, and how many have been
// left out since the last.
func (l *lines) take(now time.Time, most int64) (leftOut int64, ok bool) {
	if at, before := now.Unix(), l.second.Load(); at != before && l.second.CompareAndSwap(before, at) {
		l.asked.Store(0)
	}
	if l.asked.Add(1) > most {
		l.leftOut.Add(1)
		return 0, false
	}
	return l.leftOut.Swap(0), true
}

// logFailure logs that a service has not answered, or that its time was over,
// which a caller decides.
func (f *forwarder) logFailure(e *upstream.Error) {
	if e.Kind == upstream.OverBudget {
		return
	}
	leftOut, ok := f.lines.take(time.Now(), failureLines)
	if !ok {
		return
	}
	attrs := []any{"upstream", f.to.config.Name, "kind", e.Kind.String(), "err", e.Error()}
	if leftOut > 0 {
		attrs = append(attrs, slog.Int64("left_out", leftOut))
	}
	f.log.Warn("upstream failed", attrs...)
}
