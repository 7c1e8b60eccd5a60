package load

import (
	"context"
	"math"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/plimsoll-go/plimsoll/cmd/plimsoll/internal/mix"
	"github.com/plimsoll-go/plimsoll/cmd/plimsoll/internal/openloop"
	"github.com/plimsoll-go/plimsoll/cmd/plimsoll/internal/tally"
	"github.com/plimsoll-go/plimsoll/cmd/plimsoll/internal/target"
	"github.com/plimsoll-go/plimsoll/retry"
)

// TestDeadlinesCountFromWhenARequestWasDue: what is left of it is what an attempt
// may take, and nobody waits longer.
func TestDeadlinesCountFromWhenARequestWasDue(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := plan(t, "10/s", time.Second, mix.Class{Deadline: 250 * ms, Retry: mix.Retry{Attempts: 9, Backoff: retry.Backoff{Base: 100 * ms, Jitter: retry.NoJitter}}})
		start := time.Now()
		r := play(t, t.Context(), p, &fake{serve: after(time.Hour)})
		if r.All.Late != 10 || r.All.AttemptsLate != 10 || math.Abs(r.All.Latency.Max-250) > 1 {
			t.Errorf("%d late in %d attempts, after %.0f ms", r.All.Late, r.All.Attempts, r.All.Latency.Max)
		}
		if took := time.Since(start); took != 1150*ms {
			t.Errorf("the run took %s", took)
		}
	})
}

// TestRetries: how many attempts a second of ten requests has, by what their
// callers do.
func TestRetries(t *testing.T) {
	pushed := func(d time.Duration) func(time.Duration, *mix.Request, int) (target.Answer, time.Duration) {
		return func(time.Duration, *mix.Request, int) (target.Answer, time.Duration) {
			return target.Answer{Outcome: openloop.Refused, Reason: "queue_full", Pushback: d}, 0
		}
	}
	failing := func(time.Duration, *mix.Request, int) (target.Answer, time.Duration) {
		return target.Answer{Outcome: openloop.Failed, Reason: "reset"}, 0
	}
	exponential := retry.Backoff{Base: 300 * ms, Jitter: retry.NoJitter}
	for _, tt := range []struct {
		name     string
		how      mix.Retry
		serve    func(time.Duration, *mix.Request, int) (target.Answer, time.Duration)
		attempts int64
	}{
		{"none", mix.Retry{}, refused, 10},
		{"at once", mix.Retry{Attempts: 4}, refused, 40},
		{"failures as well", mix.Retry{Attempts: 4}, failing, 40},
		{"answered, and no more", mix.Retry{Attempts: 4}, after(ms), 10},
		{"exponential, up to the deadline", mix.Retry{Attempts: 9, Backoff: exponential}, refused, 30},
		{"within a budget", mix.Retry{Attempts: 9, Budget: 0.2}, refused, 12},
		{"told to stay away for long, and heeded", mix.Retry{Attempts: 3, Heed: true}, pushed(time.Minute), 10},
		{"told so, and not heeded", mix.Retry{Attempts: 3}, pushed(time.Minute), 30},
		{"told not to, and heeded", mix.Retry{Attempts: 3, Heed: true}, pushed(-1), 10},
		{"told not to, and not heeded", mix.Retry{Attempts: 3}, pushed(-1), 30},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r := play(t, t.Context(), plan(t, "10/s", time.Second, mix.Class{Retry: tt.how}), &fake{serve: tt.serve})
				if r.All.Attempts != tt.attempts || r.All.Offered != 10 {
					t.Errorf("%d attempts of %d requests, want %d", r.All.Attempts, r.All.Offered, tt.attempts)
				}
			})
		})
	}
}

// TestARefusalInTheEndIsOne: a request ends as its last attempt did, when that
// ended.
func TestARefusalInTheEndIsOne(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		how := mix.Retry{Attempts: 3, Backoff: retry.Backoff{Base: 100 * ms, Jitter: retry.NoJitter}}
		r := play(t, t.Context(), plan(t, "10/s", time.Second, mix.Class{Retry: how}), &fake{serve: refused})
		if r.All.Refused["queue_full"] != 10 || math.Abs(r.All.Turned.P50-300) > 1 || r.All.Latency.Count != 0 {
			t.Errorf("refused %v after %.0f ms, %d latencies", r.All.Refused, r.All.Turned.P50, r.All.Latency.Count)
		}
	})
}

// TestInterrupted: nothing more is sent, what is in flight has a second, and
// what has not ended then is said to be open.
func TestInterrupted(t *testing.T) {
	for _, tt := range []struct {
		takes      time.Duration
		good, open int64
		ends       time.Duration
	}{
		{500 * ms, 11, 0, 1500 * ms},
		{time.Minute, 0, 11, 2050 * ms},
	} {
		synctest.Test(t, func(t *testing.T) {
			ctx, cancel := context.WithTimeout(t.Context(), 1050*ms)
			defer cancel()
			start := time.Now()
			r := play(t, ctx, plan(t, "10/s", time.Hour, mix.Class{Deadline: time.Hour}), &fake{serve: after(tt.takes)})
			a := &r.All
			if !r.Interrupted || a.Offered != 11 || a.Good != tt.good || a.Open != tt.open || time.Since(start) != tt.ends {
				t.Errorf("interrupted %v: %d good, %d open of %d, after %s", r.Interrupted, a.Good, a.Open, a.Offered, time.Since(start))
			}
			if len(r.Invalid) != 0 {
				t.Errorf("invalid: %q", r.Invalid)
			}
		})
	}
}

// deaf is a service whose attempts do not end at their deadline, but only when
// they are given up.
type deaf struct{ fake }

func (*deaf) Try(ctx context.Context, _ *mix.Request, _ int, _ time.Duration) target.Answer {
	<-ctx.Done()
	return target.Answer{Outcome: openloop.Failed, Reason: "interrupted"}
}

// TestARunEndsByItself: whatever the target does.
func TestARunEndsByItself(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := plan(t, "10/s", time.Second, mix.Class{Deadline: 100 * ms})
		p.Target = &deaf{}
		start := time.Now()
		r, err := Run(t.Context(), p)
		if took := time.Since(start); err != nil || took != time.Second+grace || r.All.Open != 10 {
			t.Errorf("after %s: %d open, %v", took, r.All.Open, err)
		}
		if len(r.Invalid) != 1 || !strings.Contains(r.Invalid[0], "had not ended") {
			t.Errorf("invalid: %q", r.Invalid)
		}
	})
}

// TestInvalid: why a result says nothing about its target.
func TestInvalid(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := plan(t, "100/s", time.Second, mix.Class{})
		r := play(t, t.Context(), p, &fake{serve: after(0)})
		if len(r.Invalid) != 0 {
			t.Errorf("invalid: %q", r.Invalid)
		}
		r.All.Slip.P99 = 10.1
		r.All.Skipped = map[string]int64{"late": 2}
		if got := p.invalid(r); len(got) != 2 || !strings.Contains(got[0], "2 of 100") || !strings.Contains(got[1], "10.1 ms") {
			t.Errorf("%q", got)
		}
		r.All.Slip.P99, r.All.Skipped["late"] = 10, 1
		if got := p.invalid(r); len(got) != 0 {
			t.Errorf("%q", got)
		}
		r.All.Failed = map[string]int64{"dial": 7, tally.Other: 3} // of more reasons than are told apart
		r.Classes[0].Failed = map[string]int64{"dial": 7, target.Exhausted: 3}
		if got := p.invalid(r); len(got) != 1 || !strings.Contains(got[0], "3 requests could not be sent") {
			t.Errorf("%q", got)
		}
		r.All.Offered = 0
		if got := p.invalid(r); !strings.Contains(strings.Join(got, "\n"), "no request was due") {
			t.Errorf("%q", got)
		}
	})
}
