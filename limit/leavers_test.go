package limit_test

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/plimsoll-go/plimsoll/limit"
)

// TestCallersWhoLeave: callers go after 300 ms and have not said so; what the gate
// was told is the timeout of a route, or nothing. The backend, four workers of 20
// ms, does what nobody waits for all the same, whether or not the slot is held
// for so long. Answers in time are what they are where callers say when they go,
// and the load is served when the trouble is over.
func TestCallersWhoLeave(t *testing.T) {
	for _, c := range []struct {
		name     string
		calm     float64 // arrivals per second, of the 200 that can be served
		trouble  float64 // the same from 10 s to 30 s
		slowdown float64 // of the service, then
		atLeast  float64 // of what can be served then, in the worst of the runs
	}{
		{"twice as many", 150, 400, 1, 0.95},
		{"five times as many", 150, 1000, 1, 0.95},
		{"twice as many from the first", 400, 400, 1, 0.95},
		{"five times as many from the first", 1000, 1000, 1, 0.9},
		{"three times slower", 150, 150, 3, 0.4},
		{"five times slower", 150, 150, 5, 0.4},
		{"twenty times slower", 150, 150, 20, 0}, // most then take longer than anybody waits
	} {
		for _, told := range []time.Duration{0, 10 * time.Second} {
			for _, frees := range []bool{false, true} {
				t.Run(fmt.Sprintf("%s, told %v, slots free at once %v", c.name, told, frees), func(t *testing.T) {
					for seed := range uint64(5) {
						troubled := func(now time.Duration) bool { return now >= 10*time.Second && now < 30*time.Second }
						s := world{
							seed: seed, deadline: told, frees: frees, workers: crew(4),
							patience: func(*rand.Rand) time.Duration { return 300 * ms },
							rate: func(now time.Duration) float64 {
								if troubled(now) {
									return c.trouble
								}
								return c.calm
							},
							service: func(r *rand.Rand, now time.Duration) time.Duration {
								d := r.ExpFloat64() * float64(20*ms)
								if troubled(now) {
									d *= c.slowdown
								}
								return time.Duration(d)
							},
							algorithm: limit.NewAuto(limit.AutoConfig{}),
						}
						s.run(45 * time.Second)
						during := s.goodput(15*time.Second, 30*time.Second) / min(c.trouble, 200/c.slowdown)
						after := s.goodput(35*time.Second, 45*time.Second) / min(c.calm, 200)
						if during < c.atLeast || after < 0.85 {
							t.Errorf("seed %d: %.2f of what can be served, want %.2f; afterwards %.2f, want 0.85", seed, during, c.atLeast, after)
						}
					}
				})
			}
		}
	}
}

// TestWhoLeavesForOtherReasons: of a backend with room, some leave soon, as people
// do who have clicked elsewhere, and some late, as hedged calls do that have an
// answer from another. Nobody is refused for that.
func TestWhoLeavesForOtherReasons(t *testing.T) {
	for _, c := range []struct {
		name  string
		share float64
		after time.Duration
	}{
		{"half of them after a moment", 0.5, 5 * ms},
		{"nearly all of them after a moment", 0.95, 5 * ms},
		{"one in ten late", 0.1, 150 * ms},
	} {
		for _, frees := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s, slots free at once %v", c.name, frees), func(t *testing.T) {
				s := world{
					rate: steady(300), workers: crew(64), frees: frees, service: exponential(50 * ms),
					patience: func(r *rand.Rand) time.Duration {
						if r.Float64() < c.share {
							return c.after
						}
						return time.Minute
					},
					algorithm: limit.NewAuto(limit.AutoConfig{}),
				}
				s.run(40 * time.Second)
				if n := between(s.refused, 5*time.Second, 40*time.Second); n > 0 {
					t.Errorf("%d are refused", n)
				}
			})
		}
	}
}
