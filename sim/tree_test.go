package sim

import (
	"strings"
	"testing"
	"time"

	"github.com/plimsoll-go/plimsoll/class"
)

// TestCallTimelines: small trees with exact times: when the request has its
// answer, how many calls were made of each, and how they ended.
func TestCallTimelines(t *testing.T) {
	call := func(station int, takes time.Duration, calls ...Call) Call {
		return Call{Station: station, Service: Deterministic(takes), Calls: calls}
	}
	many := func(c Call, times int, parallel bool) Call {
		c.Times, c.Parallel = times, parallel
		return c
	}
	along := func(c Call) Call {
		c.Along = true
		if c.Name == "" {
			c.Name = "along " + string(rune('0'+c.Station))
		}
		return c
	}
	one, pool := Station{Name: "one", Workers: 1}, Station{Name: "pool", Workers: 2}
	front, delay := Station{Name: "front", Workers: 9}, Station{Name: "delay"}
	stations := []Station{front, one, pool, delay}
	for name, tc := range map[string]struct {
		n     int // requests at once
		calls []Call
		end   time.Duration // of the last request
	}{
		"none":                          {1, nil, 10 * ms},
		"one call":                      {1, []Call{call(1, 5*ms)}, 15 * ms},
		"one after another":             {1, []Call{call(1, 5*ms), call(3, 7*ms)}, 22 * ms},
		"three levels":                  {1, []Call{call(1, 5*ms, call(2, 7*ms, call(3, 11*ms)))}, 33 * ms},
		"times":                         {1, []Call{many(call(3, 5*ms), 4, false)}, 30 * ms},
		"a fan-out":                     {1, []Call{many(call(3, 5*ms), 4, true)}, 15 * ms},
		"a fan-out to one worker":       {1, []Call{many(call(1, 5*ms), 4, true)}, 30 * ms},
		"two fan-outs of two":           {1, []Call{many(call(3, ms, many(call(1, 5*ms), 2, true)), 2, true)}, 31 * ms},
		"two requests share one worker": {2, []Call{call(1, 5*ms)}, 20 * ms},
		// Two connections, each held while the backend is asked: five requests
		// of 10 ms at the backend go two by two.
		"a pool of connections":      {5, []Call{call(2, 0, call(3, 10*ms))}, 40 * ms},
		"one along with another":     {1, []Call{call(1, 5*ms), along(call(3, 7*ms))}, 17 * ms},
		"the faster one along":       {1, []Call{call(3, 7*ms), along(call(1, 5*ms))}, 17 * ms},
		"three along, and one after": {1, []Call{call(0, 7*ms), along(call(1, 5*ms)), along(many(call(2, 6*ms), 4, true)), call(3, ms, call(1, ms))}, 24 * ms},
		"one before and two along":   {1, []Call{many(call(1, 2*ms), 3, false), call(3, 7*ms), along(call(2, 5*ms))}, 23 * ms},
		"before the gate, along": {1, []Call{
			{Name: "a", Station: 3, Service: Deterministic(5 * ms), BeforeGate: true},
			{Name: "b", Station: 3, Service: Deterministic(4 * ms), BeforeGate: true, Along: true},
		}, 15 * ms},
		"before the gate": {1, []Call{{Station: 3, Service: Deterministic(5 * ms), BeforeGate: true}}, 15 * ms},
	} {
		s := simple(time.Second, Batch{N: tc.n}, Kind{Service: Deterministic(10 * ms), Calls: tc.calls}, Station{})
		s.Stations = stations
		r := play(t, s, 1)
		if r.End != tc.end || r.Total.Good != uint64(tc.n) {
			t.Errorf("%s: %d good, the last at %v; want %d, %v", name, r.Total.Good, r.End, tc.n, tc.end)
		}
		for _, c := range r.Calls {
			if c.Good != c.Offered || c.Good == 0 {
				t.Errorf("%s: %s: %d of %d good", name, c.Call, c.Good, c.Offered)
			}
		}
	}
}

// TestRetriesMultiply: three layers that try three times each ask the last one
// 27 times for one request (R26).
func TestRetriesMultiply(t *testing.T) {
	thrice := Client{Patience: 10 * time.Second, Attempts: 3}
	last := Call{Station: 2, Service: Deterministic(ms), Client: Client{Patience: 100 * ms, Attempts: 3}}
	middle := Call{Station: 1, Service: Deterministic(ms), Calls: []Call{last}, Client: thrice}
	s := simple(time.Second, Batch{N: 1}, Kind{Service: Deterministic(ms), Calls: []Call{middle}, Client: thrice}, Station{})
	s.Stations = []Station{
		{Name: "a", Workers: 1}, {Name: "b", Workers: 1},
		{Name: "c", Workers: 1, Disturbances: []Disturbance{{0, Workers(0)}}},
	}
	s.Grace = time.Minute
	r := play(t, s, 1)
	if r.Total.Attempts != 3 || r.Total.Failed != 3 || r.Total.Lost != 1 {
		t.Errorf("%d attempts, %d failed, %d lost", r.Total.Attempts, r.Total.Failed, r.Total.Lost)
	}
	for i, want := range []uint64{9, 27} {
		if c := r.Calls[i]; c.Attempts != want || c.Lost != want/3 {
			t.Errorf("%s: %d attempts, %d lost; want %d, %d", c.Call, c.Attempts, c.Lost, want, want/3)
		}
	}
}

// TestSameCallsUnderEveryPolicy: what the calls of a request need depends on
// the request alone: not on whether others came to make theirs, nor on which of
// its attempts makes them.
func TestSameCallsUnderEveryPolicy(t *testing.T) {
	inner := Call{Station: 1, Service: Exponential(10 * ms), Times: 2}
	k := Kind{
		Service: Exponential(10 * ms), Client: Client{Attempts: 2, Backoff: 0},
		Calls: []Call{{Name: "x", Station: 1, Service: Lognormal{10 * ms, 1}, Times: 3, Parallel: true, Calls: []Call{inner}}},
	}
	end := func(attempts int, kill ...Disturbance) time.Duration {
		k.Client.Attempts = attempts
		s := simple(2*time.Second, Trace{0, time.Second}, k, Station{})
		s.Stations = []Station{{Name: "front", Disturbances: kill}, {Name: "back"}}
		return play(t, s, 5).End
	}
	want := end(1)
	if got := end(1, Disturbance{0, Restart(500 * ms)}); got != want {
		t.Errorf("over at %v, %v where the first request has failed", want, got)
	}
	// The front takes less than 25 ms: its calls are under way.
	if got := end(2, Disturbance{1025 * ms, Restart(0)}); got != want+25*ms {
		t.Errorf("over at %v, want %v where the second request is made again after 25 ms", got, want+25*ms)
	}
}

// TestFaultyCalls: every fault of a tree is reported at once, with where it is.
func TestFaultyCalls(t *testing.T) {
	deep := Call{Service: Deterministic(ms)}
	for range maxLevels {
		deep = Call{Service: Deterministic(ms), Calls: []Call{deep}}
	}
	s := simple(time.Second, Reconnect{N: -1}, Kind{Service: Deterministic(ms), Bytes: -1, Calls: []Call{
		{Station: 7, Along: true, Client: Client{Deadline: 1, Attempts: -1}},
		{Name: "a", Service: Deterministic(-1), Times: -1, Criticality: 9, Bytes: -1, Margin: -1, Deadline: longest + 1},
		{Name: "a", Service: Deterministic(1), Times: 3, Along: true, BeforeGate: true},
		{Name: "b", Service: Deterministic(1), Times: maxTimes + 1, Untagged: true, Criticality: class.Critical},
		{Name: "c", Service: Deterministic(1), Along: true},
		deep,
	}}, Station{Memory: &Memory{Each: -1, Restart: -1}, Disturbances: []Disturbance{{0, Restart(-1)}}})
	err := s.Validate()
	if err == nil {
		t.Fatal("no fault")
	}
	for _, want := range []string{
		`Arrivals: want a number`, `Kinds[0] "".Bytes:`, `Calls[0] "".Station:`, `Calls[0] "".Along: want a call before`, `Calls[0] "".Service:`,
		`Calls[0] "".Client.Deadline:`, `Calls[0] "".Client.Attempts:`, `Calls[1] "a".Service:`, `Calls[1] "a".Times:`, `Calls[1] "a".Criticality:`,
		`Calls[1] "a".Bytes:`, `Calls[1] "a".Margin:`, `Calls[1] "a".Deadline:`, `Calls[2] "a": want names that differ`,
		`Calls[2] "a".Along: want BeforeGate`, `Calls[2] "a".Along: want Parallel`, `Calls[3] "b".Times:`, `Calls[3] "b".Untagged:`,
		`Calls[4] "c".Along: want a call before it that is Parallel`, "want no more than 16 calls within one another",
		"Memory.Each:", "Memory.Most:", "Memory.Restart:", "Disturbances[0].Effect:",
	} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("no fault %s in\n%v", want, err)
		}
	}
}
