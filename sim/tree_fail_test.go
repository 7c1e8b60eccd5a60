package sim

import (
	"testing"
	"time"
)

// TestFailedCalls: one request at a front of one worker, which takes 10 ms and
// then asks one that never answers, unless said otherwise: when all is over and
// how it ended, for the request and for its first call.
func TestFailedCalls(t *testing.T) {
	const dead, fine = 1, 2
	stations := []Station{
		{Name: "front", Workers: 1}, {Name: "dead", Workers: 1, Disturbances: []Disturbance{{0, Workers(0)}}},
		{Name: "fine"}, {Name: "gate of one", Workers: 1, Gate: &Gate{Limit: Fixed(1), MaxQueue: -1}},
	}
	wait := func(p time.Duration) Client { return Client{Patience: p} }
	thrice := Client{Patience: 20 * ms, Attempts: 3}
	ask := func(c Call) []Call {
		if c.Service == nil {
			c.Service = Deterministic(5 * ms)
		}
		return []Call{c}
	}
	type row struct{ attempts, good, lost, gaveUp, failed uint64 }
	for name, tc := range map[string]struct {
		front  time.Duration // what the request takes; 0: 10 ms
		client Client
		calls  []Call
		end    time.Duration // when the request is done with; the call may go on
		want   row
		call   row
	}{
		"answered in time":            {0, wait(15 * ms), ask(Call{Station: fine}), 15 * ms, row{1, 1, 0, 0, 0}, row{1, 1, 0, 0, 0}},
		"a nanosecond late":           {0, wait(15*ms - 1), ask(Call{Station: fine}), 15 * ms, row{1, 0, 1, 1, 1}, row{1, 0, 1, 1, 0}},
		"what is left of the time":    {0, wait(50 * ms), ask(Call{Station: dead}), 50*ms + 1, row{1, 0, 1, 1, 1}, row{1, 0, 1, 1, 0}},
		"less a margin":               {0, wait(50 * ms), ask(Call{Station: dead, Margin: 20 * ms}), 30*ms + 1, row{1, 0, 1, 0, 1}, row{1, 0, 1, 1, 0}},
		"its own deadline":            {0, wait(50 * ms), ask(Call{Station: dead, Deadline: 15 * ms}), 25*ms + 1, row{1, 0, 1, 0, 1}, row{1, 0, 1, 1, 0}},
		"no more than is left":        {0, wait(50 * ms), ask(Call{Station: dead, Deadline: time.Second}), 50*ms + 1, row{1, 0, 1, 1, 1}, row{1, 0, 1, 1, 0}},
		"none inherited":              {0, wait(50 * ms), ask(Call{Station: dead, Deadline: -1, Client: wait(100 * ms)}), 110*ms + 1, row{1, 0, 1, 1, 1}, row{1, 0, 1, 1, 0}},
		"its own patience":            {0, wait(50 * ms), ask(Call{Station: dead, Client: wait(5 * ms)}), 15*ms + 1, row{1, 0, 1, 0, 1}, row{1, 0, 1, 1, 0}},
		"nothing is left":             {60 * ms, wait(50 * ms), ask(Call{Station: fine}), 60 * ms, row{1, 0, 1, 1, 1}, row{0, 0, 1, 0, 0}},
		"three tries, then an error":  {0, Client{}, ask(Call{Station: dead, Client: thrice}), 70*ms + 3, row{1, 0, 1, 0, 1}, row{3, 0, 1, 3, 0}},
		"tries end with the deadline": {0, wait(40 * ms), ask(Call{Station: dead, Client: thrice}), 40*ms + 1, row{1, 0, 1, 1, 1}, row{2, 0, 1, 2, 0}},
		"an error is tried again":     {0, Client{Attempts: 2}, ask(Call{Station: dead, Client: wait(5 * ms)}), 30*ms + 2, row{2, 0, 1, 0, 2}, row{2, 0, 2, 2, 0}},
		"given up below, and heeded":  {0, Client{Attempts: 2, HeedGivenUp: true}, ask(Call{Station: dead, Client: thrice}), 70*ms + 3, row{1, 0, 1, 0, 1}, row{3, 0, 1, 3, 0}},
		"its own failure is tried":    {0, Client{Attempts: 2, Patience: 5 * ms, Hangup: true, HeedGivenUp: true}, ask(Call{Station: fine}), 25*ms - 2, row{2, 0, 1, 2, 2}, row{}},
		"optional":                    {0, Client{}, ask(Call{Station: dead, Optional: true, Client: wait(5 * ms)}), 15*ms + 1, row{1, 1, 0, 0, 0}, row{1, 0, 1, 1, 0}},
		"the first failure counts":    {0, Client{}, append(ask(Call{Name: "x", Station: dead, Times: 3, Client: wait(5 * ms)}), ask(Call{Station: fine})...), 15*ms + 1, row{1, 0, 1, 0, 1}, row{1, 0, 1, 1, 0}},
		"of a fan-out, too":           {0, Client{}, ask(Call{Station: dead, Times: 3, Parallel: true, Client: wait(5 * ms)}), 15*ms + 1, row{1, 0, 1, 0, 1}, row{3, 0, 3, 3, 0}},
		"refused":                     {0, Client{}, ask(Call{Station: 3, Times: 3, Parallel: true}), 10 * ms, row{1, 0, 1, 0, 1}, row{3, 0, 3, 1, 0}},
		"the caller goes, work stays": {0, Client{Patience: 50 * ms, Deadline: -1}, ask(Call{Station: dead, Client: wait(200 * ms)}), 210*ms + 1, row{1, 0, 1, 1, 1}, row{1, 0, 1, 1, 0}},
		"unless it hangs up":          {0, Client{Patience: 50 * ms, Deadline: -1, Hangup: true}, ask(Call{Station: dead, Client: wait(200 * ms)}), 50*ms + 1, row{1, 0, 1, 1, 1}, row{1, 0, 1, 1, 0}},
		"hung up while it is served":  {60 * ms, Client{Patience: 50 * ms, Deadline: -1, Hangup: true}, ask(Call{Station: fine}), 60 * ms, row{1, 0, 1, 1, 1}, row{}},
		"hung up between two tries":   {0, Client{Patience: 50 * ms, Deadline: -1, Hangup: true}, ask(Call{Station: dead, Client: Client{Patience: 10 * ms, Attempts: 2, Backoff: time.Hour}}), 50*ms + 1, row{1, 0, 1, 1, 1}, row{1, 0, 1, 1, 0}},
		"before the gate":             {0, Client{}, ask(Call{Station: dead, BeforeGate: true, Client: wait(5 * ms)}), 5*ms + 1, row{1, 0, 1, 0, 1}, row{1, 0, 1, 1, 0}},
	} {
		takes := tc.front
		if takes == 0 {
			takes = 10 * ms
		}
		s := simple(time.Second, Batch{N: 1}, Kind{Service: Deterministic(takes), Client: tc.client, Calls: tc.calls}, Station{})
		s.Stations, s.Grace = stations, -1
		r := play(t, s, 1)
		of := func(t *Tally) row { return row{t.Attempts, t.Good, t.Lost, t.GaveUp, t.Failed} }
		if got := of(&r.Total); got != tc.want {
			t.Errorf("%s: the request: %+v, want %+v", name, got, tc.want)
		}
		if got := of(&r.Calls[0].Tally); got != tc.call {
			t.Errorf("%s: the call: %+v, want %+v", name, got, tc.call)
		}
		// The front has but that one: how long it was there on average is when
		// it was done with, of its last attempt.
		if got := r.Stations[0].Sojourn * time.Duration(r.Stations[0].Arrived); got != tc.end {
			t.Errorf("%s: the front is done at %v, want %v", name, got, tc.end)
		}
	}
}
