package sim

import (
	"strings"
	"testing"
	"time"

	"github.com/plimsoll-go/plimsoll/class"
	"github.com/plimsoll-go/plimsoll/queue"
)

// twoTimeouts is case R06's gate: 100 ms to wait, and 5 ms for who comes while
// the queue has not been empty for 100 ms; newest first while it stands.
func twoTimeouts() *Gate {
	return &Gate{Limit: Fixed(8), MaxWait: 100 * ms, StandingWait: 5 * ms}
}

// eightWorkers have exponential jobs of 10 ms and callers of 100 ms.
var eightWorkers = Kind{Service: Exponential(10 * ms), Client: Client{Patience: 100 * ms}}

// TestR06Burst: 30 at once on an idle server are all served.
func TestR06Burst(t *testing.T) {
	for seed := range uint64(20) {
		r := play(t, simple(time.Second, Batch{N: 30}, eightWorkers, Station{Workers: 8, Gate: twoTimeouts()}), seed)
		if n := r.Total.RefusedTotal(); n > 0 || r.Total.Good != 30 {
			t.Errorf("seed %d: %d refused, %d in time", seed, n, r.Total.Good)
		}
	}
}

// TestR06StandingOverload: at twice what can be served, the share of capacity
// that is answered in time, and that it stays there whatever the timeouts and
// the order are driven by: the queue that stands, not CoDel's dropping state.
func TestR06StandingOverload(t *testing.T) {
	t.Parallel()
	for _, load := range []float64{2, 5} {
		for seed := range uint64(5) {
			r := play(t, simple(time.Minute, Poisson{Rate: 800 * load}, eightWorkers, Station{Workers: 8, Gate: twoTimeouts()}), seed)
			share := rate(r, time.Second, time.Minute) / 800
			t.Logf("%v times, seed %d: %.4f of capacity, p99 %v", load, seed, share, r.Total.Latencies.Quantile(0.99))
			if share < 0.99 {
				t.Errorf("%v times, seed %d: %.4f of capacity, want 0.99", load, seed, share)
			}
		}
	}
}

// TestQueueBoundInBytes: a process of 200 MB whose waiting requests keep a body
// of 1 MB each, now and then one of 20 MB, is killed by a queue that is bounded
// by count and time alone, and lives with one that is bounded in bytes.
func TestQueueBoundInBytes(t *testing.T) {
	const mb = 1 << 20
	for _, bound := range []int64{0, 100 * mb} {
		s := simple(30*time.Second, Poisson{Rate: 1200}, Kind{}, Station{
			Workers: 8, Memory: &Memory{Most: 200 * mb, Restart: time.Second},
			Gate: &Gate{Limit: Fixed(8), MaxWait: time.Second, MaxQueueBytes: bound},
		})
		client := Client{Patience: 2 * time.Second}
		s.Sources[0].Kinds = []Kind{
			{Name: "small", Weight: 20, Service: Exponential(10 * ms), Bytes: mb, Client: client},
			{Name: "large", Service: Exponential(10 * ms), Bytes: 20 * mb, Client: client, Criticality: class.CriticalPlus},
		}
		r := play(t, s, 1)
		st := &r.Stations[0]
		t.Logf("bound %d: killed %d times, at most %d MB, goodput %.0f/s", bound, st.Restarts, st.MostUsed/mb, rate(r, time.Second, 30*time.Second))
		if killed := st.Restarts > 0; killed != (bound == 0) {
			t.Errorf("bound %d: killed %d times", bound, st.Restarts)
		}
		if bound > 0 && (st.MostUsed > 200*mb || rate(r, time.Second, 30*time.Second) < 0.97*800) {
			t.Errorf("bound %d: %d MB, goodput %.0f/s", bound, st.MostUsed/mb, rate(r, time.Second, 30*time.Second))
		}
		// What is more important is larger, and takes the places of several.
		if large := &r.Kinds[1]; bound > 0 && (large.Refused[QueueFull] > 0 || r.Kinds[0].Refused[Evicted] == 0) {
			t.Errorf("bound %d: %d large refused, %d small evicted", bound, large.Refused[QueueFull], r.Kinds[0].Refused[Evicted])
		}
	}
}

// TestOrderDrivenByCoDel: adaptive order is a trap when CoDel's state drives
// it: the fresh waiters that newest first serves end that state, and oldest
// first then serves the stale end. So CoDel beside an order that may turn is
// refused, and the standing queue is the only thing that turns one.
func TestOrderDrivenByCoDel(t *testing.T) {
	for o := queue.Adaptive; o.Valid(); o++ {
		s := simple(time.Second, Poisson{Rate: 1}, eightWorkers, Station{Workers: 8, Gate: &Gate{Order: o, CoDel: &queue.CoDel{}}})
		err := s.Validate()
		if o == queue.OldestFirst && err != nil {
			t.Error(err)
		}
		if o != queue.OldestFirst && (err == nil || !strings.Contains(err.Error(), "CoDel: want none, or Order oldest_first")) {
			t.Errorf("%v with CoDel: %v", o, err)
		}
	}
}

// TestBurstsUnderCoDel: bursts that drain within an interval lose nothing,
// however long the calm between them; and where dequeues are seldom, each still
// serves somebody.
func TestBurstsUnderCoDel(t *testing.T) {
	gate := func(slots int) *Gate {
		return &Gate{Limit: Fixed(slots), MaxWait: 10 * time.Second, Order: queue.OldestFirst, CoDel: &queue.CoDel{}, NoPrediction: true}
	}
	job := Kind{Service: Deterministic(10 * ms), Client: Client{Patience: time.Minute}}
	for _, calm := range []time.Duration{100 * ms, time.Second, 10 * time.Second} {
		s := simple(60*time.Second, nil, job, Station{Workers: 8, Gate: gate(8)})
		var bursts Trace
		for at := time.Duration(0); at < s.Length; at += calm {
			for range 60 { // drain in 80 ms
				bursts = append(bursts, at)
			}
		}
		s.Sources[0].Arrivals = bursts
		if r := play(t, s, 1); r.Total.RefusedTotal() > 0 {
			t.Errorf("bursts every %v: %d refused", calm, r.Total.RefusedTotal())
		}
	}
	slow := Kind{Service: Deterministic(time.Second), Client: Client{Patience: time.Minute}}
	r := play(t, simple(time.Minute, Constant{Rate: 3}, slow, Station{Workers: 1, Gate: gate(1)}), 1)
	if r.Total.Good < 59 || r.Total.Refused[CoDel] == 0 {
		t.Errorf("one dequeue a second: %d served in a minute, %d dropped", r.Total.Good, r.Total.Refused[CoDel])
	}
}
