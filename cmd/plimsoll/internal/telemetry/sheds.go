package telemetry

import (
	"context"
	"log/slog"
	"sync/atomic"
	"time"

	"github.com/plimsoll-go/plimsoll"
	"github.com/plimsoll-go/plimsoll/httpgate"
)

// sheds logs refusals: the first of each reason in every second, and after
// them how many more there were. An overload then leaves a few lines, whatever
// its rate, and none of them has text that a client chose.
type sheds struct {
	log     *slog.Logger // nil: nothing is logged
	most    atomic.Int64 // lines a second and reason
	leftOut atomic.Uint64
	reasons [plimsoll.NumReasons]shedReason
}

// shedReason is one reason's second.
type shedReason struct {
	second  atomic.Int64 // Unix time
	logged  atomic.Int64 // asked to be, within it
	leftOut atomic.Uint64
}

// refused logs a refusal, or counts it as left out.
func (s *sheds) refused(r *Route, e *httpgate.Ended) {
	most := s.most.Load()
	if s.log == nil || most == 0 {
		return
	}
	why := e.Refusal.Reason
	cell := &s.reasons[why]
	s.turn(why, time.Now().Unix())
	if cell.logged.Add(1) > most {
		cell.leftOut.Add(1)
		s.leftOut.Add(1)
		return
	}
	attrs := []slog.Attr{
		slog.String("gate", r.gate.name), slog.String("route", r.name),
		slog.String("class", e.Criticality.String()), slog.String("reason", why.String()), slog.Int("status", e.Status),
	}
	if e.Refusal.RetryAfter > 0 {
		attrs = append(attrs, slog.Duration("retry_after", e.Refusal.RetryAfter))
	}
	if e.Refusal.Late > 0 {
		attrs = append(attrs, slog.Duration("late", e.Refusal.Late))
	}
	if e.Attempt > 0 {
		attrs = append(attrs, slog.Int("attempt", e.Attempt))
	}
	s.log.LogAttrs(context.Background(), slog.LevelInfo, "refused", attrs...)
}

// turn begins another second of a reason, and says what the last has left out.
func (s *sheds) turn(why plimsoll.Reason, second int64) {
	cell := &s.reasons[why]
	before := cell.second.Load()
	if before == second || !cell.second.CompareAndSwap(before, second) {
		return
	}
	cell.logged.Store(0)
	if n := cell.leftOut.Swap(0); n > 0 {
		s.log.LogAttrs(context.Background(), slog.LevelInfo, "refused, not logged",
			slog.String("reason", why.String()), slog.Uint64("count", n))
	}
}

// LogSheds sets how many refusals of each reason are logged in a second. 0:
// none.
func (rec *Recorder) LogSheds(perSecond int) { rec.sheds.most.Store(int64(perSecond)) }

// Tick says what the second before has left out of the log. It wants to be
// called once a second.
func (rec *Recorder) Tick(now time.Time) {
	if rec.sheds.log == nil {
		return
	}
	for why := range rec.sheds.reasons {
		if rec.sheds.reasons[why].leftOut.Load() > 0 {
			rec.sheds.turn(plimsoll.Reason(why), now.Unix())
		}
	}
}
