package load

import (
	"math"
	"testing"
	"testing/synctest"
	"time"

	"github.com/plimsoll-go/plimsoll/cmd/plimsoll/internal/mix"
	"github.com/plimsoll-go/plimsoll/cmd/plimsoll/internal/openloop"
	"github.com/plimsoll-go/plimsoll/cmd/plimsoll/internal/target"
)

// frozen answers after a millisecond, and nothing from one time to another.
func frozen(from, to time.Duration) func(time.Duration, *mix.Request, int) (target.Answer, time.Duration) {
	return func(now time.Duration, _ *mix.Request, _ int) (target.Answer, time.Duration) {
		d := ms
		if now >= from && now < to {
			d += to - now
		}
		return target.Answer{Outcome: openloop.Good}, d
	}
}

// TestB23LatencyCountsFromWhenARequestWasDue: 100 a second for 30 s, of a server
// that is frozen for half of them. All 3,000 are sent and waited for.
func TestB23LatencyCountsFromWhenARequestWasDue(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := plan(t, "100/s", 30*time.Second, mix.Class{Deadline: time.Minute})
		r := play(t, t.Context(), p, &fake{serve: frozen(7*time.Second, 22*time.Second)})
		l := &r.All.Latency
		if l.Count != 3000 || math.Abs(l.Mean-3750) > 30 || len(r.Invalid) != 0 {
			t.Errorf("%d with a mean of %.0f ms, want 3000 with 3750; invalid: %q", l.Count, l.Mean, r.Invalid)
		}
		if p95 := l.Quantile(0.95); math.Abs(p95-13500) > 50 {
			t.Errorf("95th percentile %.0f ms, want 13500", p95)
		}
		if r.All.Slip.Max > 0.01 || r.All.Service.Count != 3000 {
			t.Errorf("slip %.3f ms at most, %d service times", r.All.Slip.Max, r.All.Service.Count)
		}
	})
}

// TestB23ServiceTimeIsKeptApart: with room for one request at a time, as in a
// closed loop, service times show one bad one, and what the schedule had besides
// is counted as not sent.
func TestB23ServiceTimeIsKeptApart(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := plan(t, "100/s", 30*time.Second, mix.Class{Deadline: time.Minute})
		p.InFlight = 1
		r := play(t, t.Context(), p, &fake{serve: frozen(7*time.Second, 22*time.Second)})
		if s := &r.All.Service; s.P99 > 2 || s.Max < 14900 {
			t.Errorf("service: 99th percentile %.1f ms, at most %.0f", s.P99, s.Max)
		}
		if n := r.All.Skipped["in_flight"]; n < 1490 || n > 1510 || len(r.Invalid) != 1 {
			t.Errorf("%d not sent, want about 1500; invalid: %q", n, r.Invalid)
		}
	})
}

// TestB23RetriesCountFromTheFirst: the second attempt's answer counts from when
// the request was due, its service time from when the attempt was sent.
func TestB23RetriesCountFromTheFirst(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := plan(t, "10/s", time.Second, mix.Class{Deadline: time.Minute, Retry: mix.Retry{Attempts: 2}})
		r := play(t, t.Context(), p, &fake{serve: func(_ time.Duration, _ *mix.Request, attempt int) (target.Answer, time.Duration) {
			if attempt == 1 {
				return target.Answer{Outcome: openloop.Refused, Reason: "queue_full"}, 100 * ms
			}
			return target.Answer{Outcome: openloop.Good}, 10 * ms
		}})
		a := &r.All
		if a.Good != 10 || a.Attempts != 20 || math.Abs(a.Latency.P50-110) > 1 || math.Abs(a.Service.P50-10) > 0.1 {
			t.Errorf("%d good in %d attempts, latency %.1f ms, service %.1f ms", a.Good, a.Attempts, a.Latency.P50, a.Service.P50)
		}
	})
}

// TestB25InFlightCap: 50 a second for 10 s, with room for ten that take a second
// each.
func TestB25InFlightCap(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := plan(t, "50/s", 10*time.Second, mix.Class{Deadline: 10 * time.Second})
		p.InFlight = 10
		r := play(t, t.Context(), p, &fake{serve: after(time.Second)})
		if r.All.Sent < 95 || r.All.Sent > 105 || r.All.Skipped["in_flight"] != 500-r.All.Sent {
			t.Errorf("%d sent, not sent: %v", r.All.Sent, r.All.Skipped)
		}
		if len(r.Invalid) != 1 {
			t.Errorf("invalid: %q", r.Invalid)
		}
	})
}

// TestB25HealthyRunsAreAlike: 30 a second for 30 s are 900, the last one's
// answer included, five times.
func TestB25HealthyRunsAreAlike(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for range 5 {
			r := play(t, t.Context(), plan(t, "30/s", 30*time.Second, mix.Class{}), &fake{serve: after(900 * ms)})
			if a := &r.All; a.Offered < 899 || a.Offered > 901 || a.Good != a.Offered || len(r.Invalid) != 0 {
				t.Errorf("%d good of %d; invalid: %q", a.Good, a.Offered, r.Invalid)
			}
		}
	})
}
