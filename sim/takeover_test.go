package sim

import (
	"testing"
	"time"
)

// TestUseGate: one worker of 10 ms, ten jobs at once, and at 25 ms another gate.
// One has been done with twice, the third is with the worker.
func TestUseGate(t *testing.T) {
	two := &Gate{Limit: Fixed(2), MaxQueue: 3, MaxWait: time.Hour, NoPrediction: true}
	wide := bounded(10, 100)
	for name, tc := range map[string]struct {
		old, then       *Gate
		client          Client
		good, late      uint64
		full, expired   uint64
		cancelled, lost uint64
		end             time.Duration
	}{
		"none, then none":             {nil, nil, Client{}, 10, 0, 0, 0, 0, 0, 100 * ms},
		"none, then room for five":    {nil, two, Client{}, 8, 0, 2, 0, 0, 2, 80 * ms},
		"what has no use is refused":  {nil, wide, Client{Patience: 20 * ms}, 2, 1, 0, 7, 0, 8, 30 * ms},
		"who has hung up is not kept": {nil, wide, Client{Patience: 20 * ms, Deadline: -1, Hangup: true}, 2, 1, 0, 0, 7, 8, 30 * ms},
		"a wide one, then a narrow":   {wide, two, Client{}, 8, 0, 2, 0, 0, 2, 80 * ms},
		"a narrow one, then none":     {bounded(1, 9), nil, Client{}, 10, 0, 0, 0, 0, 0, 100 * ms},
		"a narrow one, then a wide":   {bounded(1, 9), wide, Client{}, 10, 0, 0, 0, 0, 0, 100 * ms},
	} {
		st := Station{Workers: 1, Gate: tc.old, Disturbances: []Disturbance{{25 * ms, UseGate{tc.then}}}}
		r := play(t, simple(time.Second, Batch{N: 10}, Kind{Service: Deterministic(10 * ms), Client: tc.client}, st), 1)
		a := &r.Total
		if a.Good != tc.good || a.Late != tc.late || a.Refused[QueueFull] != tc.full || a.Refused[Expired] != tc.expired ||
			a.Refused[Cancelled] != tc.cancelled || a.Lost != tc.lost || r.End != tc.end {
			t.Errorf("%s: good %d, late %d, full %d, expired %d, cancelled %d, lost %d, the last at %v", name, a.Good, a.Late, a.Refused[QueueFull], a.Refused[Expired], a.Refused[Cancelled], a.Lost, r.End)
		}
	}
}

// TestRecover: who waits is refused, and the slots come back on the ramp.
func TestRecover(t *testing.T) {
	run := func(ramp time.Duration) *Report {
		st := Station{Workers: 10, Gate: bounded(10, 1000), Disturbances: []Disturbance{{2 * time.Second, Recover{ramp}}}}
		return play(t, simple(10*time.Second, Constant{Rate: 1200}, Kind{Service: Deterministic(10 * ms)}, st), 1)
	}
	for ramp, within := range map[time.Duration]float64{0: 1000, 4 * time.Second: 460} {
		r := run(ramp)
		near(t, "dismissed", float64(r.Total.Refused[Recovering]), 400, 15)
		near(t, "done a second on the ramp", float64(r.Sum(2*time.Second, 6*time.Second).Done)/4, within, 20)
		near(t, "done a second after it", float64(r.Sum(6*time.Second, 10*time.Second).Done)/4, 1000, 10)
	}
}

// TestCache: what serving takes while a cache fills, and when it is forgotten.
func TestCache(t *testing.T) {
	for name, tc := range map[string]struct {
		cache  Cache
		effect []Disturbance
		end    time.Duration // of 20 jobs of 10 ms
	}{
		"cold for ten":          {Cache{Warm: 10, Slowdown: 3}, nil, 400 * ms},
		"warmer by every one":   {Cache{Warm: 10, Slowdown: 3, Gradual: true}, nil, 310 * ms},
		"forgotten when warm":   {Cache{Warm: 10, Slowdown: 3}, []Disturbance{{355 * ms, ColdCache{}}}, 480 * ms},
		"forgotten when filled": {Cache{Warm: 5, Slowdown: 2}, []Disturbance{{95 * ms, ColdCache{}}}, 290 * ms},
		// The job that the restart cuts off is made again, after all others.
		"cold after a restart": {Cache{Warm: 5, Slowdown: 2}, []Disturbance{{105 * ms, Restart(0)}}, 305 * ms},
	} {
		st := Station{Workers: 1, Cache: &tc.cache, Disturbances: tc.effect}
		k := Kind{Service: Deterministic(10 * ms), Client: Client{Attempts: 2}}
		r := play(t, simple(time.Second, Batch{N: 20}, k, st), 1)
		if r.End != tc.end || r.Total.Good != 20 {
			t.Errorf("%s: %d good, the last at %v; want %v", name, r.Total.Good, r.End, tc.end)
		}
	}
}

// TestBlips: three blips, each of which is over before the next begins.
func TestBlips(t *testing.T) {
	st := Station{Disturbances: Blips(time.Second, 2*time.Second, 3, time.Second, 100*ms)}
	r := play(t, simple(8*time.Second, Constant{Rate: 100}, Kind{Service: Deterministic(ms), Client: Client{Patience: 50 * ms}}, st), 1)
	for i, p := range r.Series[:8] {
		if away := i == 1 || i == 3 || i == 5; away != (p.Good < 10) {
			t.Errorf("second %d: %d in time", i, p.Good)
		}
	}
}
