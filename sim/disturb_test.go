package sim

import (
	"testing"
	"time"
)

// TestEffects: one worker of 10 ms, 50/s, one disturbance at 1 s: how much is
// done in the second after it, and when the last ends.
func TestEffects(t *testing.T) {
	for name, tc := range map[string]struct {
		effects []Disturbance
		done    uint64 // in the second from 1 s to 2 s
		end     time.Duration
	}{
		"none":      {nil, 50, 1990 * ms},
		"no worker": {[]Disturbance{{time.Second, Workers(0)}, {1500 * ms, Workers(1)}}, 49, 2 * time.Second},
		"slow":      {[]Disturbance{{time.Second, Slowdown(4)}}, 24, 3 * time.Second},
		"delay":     {[]Disturbance{{time.Second, ExtraDelay(40 * ms)}}, 19, 3500 * ms},
		// The job that is half done when all stops takes so much longer.
		"stall": {[]Disturbance{{985 * ms, Stall(1015 * ms)}}, 0, 2505 * ms},
		// A second stall within the first only makes it longer.
		"two stalls": {[]Disturbance{{985 * ms, Stall(500 * ms)}, {1185 * ms, Stall(815 * ms)}}, 0, 2505 * ms},
	} {
		st := Station{Workers: 1, Disturbances: tc.effects}
		r := play(t, simple(2*time.Second, Constant{Rate: 50}, Kind{Service: Deterministic(10 * ms)}, st), 1)
		if got := r.Sum(time.Second, 2*time.Second).Done; got != tc.done || r.End != tc.end {
			t.Errorf("%s: %d done in the second, the last at %v; want %d, %v", name, got, r.End, tc.done, tc.end)
		}
	}
}

// TestDelay: a station without workers serves everybody at once.
func TestDelay(t *testing.T) {
	r := play(t, simple(time.Second, Batch{N: 1000}, Kind{Service: Deterministic(10 * ms)}, Station{}), 1)
	if r.Total.Good != 1000 || r.End != 10*ms {
		t.Errorf("%d answered, the last at %v", r.Total.Good, r.End)
	}
}

// TestClients: one worker that never gets to its jobs: when callers try again.
func TestClients(t *testing.T) {
	refuse := &Gate{Limit: Fixed(1), MaxQueue: -1, ServiceTime: 200 * ms}
	for name, tc := range map[string]struct {
		client   Client
		gate     *Gate
		attempts uint64
		least    time.Duration // until everybody is done with
		most     time.Duration
	}{
		"once":               {Client{Patience: 100 * ms}, nil, 2, 20 * time.Second, 20 * time.Second},
		"after patience":     {Client{Patience: 100 * ms, Attempts: 3}, nil, 6, 60 * time.Second, 60 * time.Second},
		"after a refusal":    {Client{Attempts: 3}, refuse, 4, 10 * time.Second, 10 * time.Second},
		"exponential":        {Client{Attempts: 9, Backoff: 10 * time.Second}, refuse, 0, 10 * time.Second, time.Hour},
		"honours RetryAfter": {Client{Attempts: 50, HonourRetryAfter: true}, refuse, 0, 20 * time.Second, 20800 * ms},
	} {
		s := simple(time.Second, Batch{N: 2}, Kind{Service: Deterministic(10 * time.Second), Client: tc.client}, Station{Workers: 1, Gate: tc.gate})
		s.Bucket = time.Minute
		r := play(t, s, 3)
		if tc.attempts > 0 && r.Total.Attempts != tc.attempts || r.End < tc.least || r.End > tc.most {
			t.Errorf("%s: %d attempts, the last done with at %v; want %d, %v to %v", name, r.Total.Attempts, r.End, tc.attempts, tc.least, tc.most)
		}
		if a := &r.Total; a.Good+a.Lost != a.Offered || a.Attempts != a.Good+a.Late+a.RefusedTotal() {
			t.Errorf("%s: the books do not close: %+v", name, []uint64{a.Offered, a.Good, a.Lost, a.Attempts, a.Late, a.RefusedTotal()})
		}
	}
}

// TestHangup: who leaves is taken out of the gate's queue, although the gate
// was told nothing.
func TestHangup(t *testing.T) {
	for _, hangup := range []bool{false, true} {
		c := Client{Patience: 15 * ms, Deadline: -1, Hangup: hangup}
		r := play(t, simple(time.Second, Batch{N: 10}, Kind{Service: Deterministic(10 * ms), Client: c}, Station{Workers: 1, Gate: bounded(1, 100)}), 1)
		a, late, gone := &r.Total, uint64(9), uint64(0)
		if hangup {
			late, gone = 1, 8 // one had a worker already
		}
		if a.Good != 1 || a.Late != late || a.Refused[Cancelled] != gone || a.Lost != 9 {
			t.Errorf("hangup %v: good %d, late %d, cancelled %d, lost %d", hangup, a.Good, a.Late, a.Refused[Cancelled], a.Lost)
		}
	}
}
