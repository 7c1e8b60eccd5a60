package load

import (
	"context"
	"sync/atomic"
	"testing"
	"time"

	"github.com/plimsoll-go/plimsoll/cmd/plimsoll/internal/mix"
	"github.com/plimsoll-go/plimsoll/cmd/plimsoll/internal/openloop"
	"github.com/plimsoll-go/plimsoll/cmd/plimsoll/internal/result"
	"github.com/plimsoll-go/plimsoll/cmd/plimsoll/internal/schedule"
	"github.com/plimsoll-go/plimsoll/cmd/plimsoll/internal/target"
)

const ms = time.Millisecond

// fake is a service in the test's own time: what an attempt comes to, and how
// long that takes.
type fake struct {
	serve  func(now time.Duration, q *mix.Request, attempt int) (target.Answer, time.Duration)
	start  time.Time
	within atomic.Int64 // attempts that have not ended
}

func (f *fake) Try(ctx context.Context, q *mix.Request, attempt int, left time.Duration) target.Answer {
	if left <= 0 {
		return target.Answer{Outcome: openloop.Late, Unsent: true}
	}
	f.within.Add(1)
	defer f.within.Add(-1)
	a, takes := f.serve(time.Since(f.start), q, attempt)
	openloop.Pause(ctx, min(takes, left))
	switch {
	case ctx.Err() != nil:
		return target.Answer{Outcome: openloop.Failed, Reason: "interrupted"}
	case takes > left:
		return target.Answer{Outcome: openloop.Late}
	}
	return a
}

func (*fake) Reach(context.Context) error { return nil }
func (*fake) Close() error                { return nil }

// after answers well, after so long.
func after(d time.Duration) func(time.Duration, *mix.Request, int) (target.Answer, time.Duration) {
	return func(time.Duration, *mix.Request, int) (target.Answer, time.Duration) {
		return target.Answer{Outcome: openloop.Good}, d
	}
}

// refused is turned away at once.
func refused(time.Duration, *mix.Request, int) (target.Answer, time.Duration) {
	return target.Answer{Outcome: openloop.Refused, Reason: "queue_full"}, 0
}

// plan is one class at a rate, evenly spaced.
func plan(t *testing.T, rate string, length time.Duration, c mix.Class) Plan {
	t.Helper()
	s, err := schedule.Parse(rate, "constant", length)
	if err != nil {
		t.Fatal(err)
	}
	if c.Name == "" {
		c.Name, c.Weight = mix.DefaultName, 1
	}
	m, err := mix.New([]*mix.Class{&c})
	if err != nil {
		t.Fatal(err)
	}
	return Plan{Name: "fake", Schedule: s, Mix: m, Seed: 1}
}

// play runs a plan against a fake, and holds its books against one another.
func play(t *testing.T, ctx context.Context, p Plan, f *fake) *result.Result {
	t.Helper()
	f.start = time.Now()
	p.Target = f
	r, err := Run(ctx, p)
	if err != nil {
		t.Fatal(err)
	}
	a := &r.All
	if got := result.Sum(a.Skipped) + a.Sent; got != a.Offered {
		t.Errorf("%d sent and skipped of %d", got, a.Offered)
	}
	if got := a.Good + a.Late + result.Sum(a.Refused) + result.Sum(a.Failed) + a.Open; got != a.Sent {
		t.Errorf("%d have ended or are open of %d sent", got, a.Sent)
	}
	if n := f.within.Load(); n != 0 {
		t.Errorf("%d attempts are still on their way", n)
	}
	return &r
}
