package sim

import (
	"testing"
	"time"

	"github.com/plimsoll-go/plimsoll/limit"
)

// TestKilled: one worker of 10 ms, a request every 100 ms from 0 on for a
// second, a process that is killed: how the requests end, when all is over, how
// often it was killed and how much it used.
func TestKilled(t *testing.T) {
	kill := func(at, length time.Duration) []Disturbance { return []Disturbance{{at, Restart(length)}} }
	stall := Disturbance{0, Workers(0)}
	for name, tc := range map[string]struct {
		station      Station
		client       Client
		good, failed uint64
		end          time.Duration
		restarts     uint64
		used         int64
	}{
		"not":                       {Station{Disturbances: kill(2*time.Second, 0)}, Client{}, 10, 0, 910 * ms, 0, 0},
		"with nobody inside":        {Station{Disturbances: kill(350*ms, 0)}, Client{}, 10, 0, 910 * ms, 1, 0},
		"with one at work":          {Station{Disturbances: kill(305*ms, 0)}, Client{}, 9, 1, 910 * ms, 1, 0},
		"for a while":               {Station{Disturbances: kill(305*ms, 300*ms)}, Client{}, 6, 4, 910 * ms, 1, 0},
		"until an arrival":          {Station{Disturbances: kill(305*ms, 95*ms)}, Client{}, 9, 1, 910 * ms, 1, 0},
		"twice, the first longer":   {Station{Disturbances: append(kill(305*ms, 300*ms), kill(405*ms, 0)...)}, Client{}, 6, 4, 910 * ms, 2, 0},
		"and asked again at once":   {Station{Disturbances: kill(305*ms, 0)}, Client{Attempts: 2}, 10, 1, 910 * ms, 1, 0},
		"and asked again in vain":   {Station{Disturbances: kill(305*ms, 50*ms)}, Client{Attempts: 9}, 9, 9, 910 * ms, 1, 0},
		"with those who wait":       {Station{Disturbances: append(kill(450*ms, 0), stall, Disturbance{450 * ms, Workers(1)})}, Client{}, 5, 5, 910 * ms, 1, 0},
		"within a stall":            {Station{Disturbances: append(kill(450*ms, 0), Disturbance{250 * ms, Stall(time.Hour)})}, Client{}, 8, 2, 910 * ms, 1, 0},
		"out of memory, and again":  {Station{Memory: &Memory{Each: 1, Most: 3}, Disturbances: []Disturbance{stall}}, Client{}, 0, 8, 700 * ms, 2, 4},
		"enough memory":             {Station{Memory: &Memory{Each: 1, Most: 1}}, Client{}, 10, 0, 910 * ms, 0, 1},
		"by what is in the gate":    {Station{Memory: &Memory{Each: 2, Most: 4, Restart: 250 * ms}, Gate: bounded(1, 9), Disturbances: []Disturbance{stall}}, Client{}, 0, 10, 900 * ms, 2, 6},
		"not with a shorter queue":  {Station{Memory: &Memory{Each: 1, Most: 3}, Gate: bounded(1, 1), Disturbances: []Disturbance{stall}}, Client{}, 0, 0, 900 * ms, 0, 3},
		"before refusals were made": {Station{RefusalCost: 0.5, Gate: bounded(1, -1), Disturbances: append(kill(450*ms, 0), stall, Disturbance{450 * ms, Workers(1)})}, Client{}, 5, 1, 910 * ms, 1, 0},
	} {
		tc.station.Workers = 1
		s := simple(time.Second, Constant{Rate: 10}, Kind{Service: Deterministic(10 * ms), Client: tc.client}, tc.station)
		s.Grace = -1
		r := play(t, s, 1)
		st := &r.Stations[0]
		if r.Total.Good != tc.good || r.Total.Failed != tc.failed || st.Restarts != tc.restarts || st.MostUsed != tc.used {
			t.Errorf("%s: %d good, %d failed, %d restarts, %d bytes; want %d, %d, %d, %d",
				name, r.Total.Good, r.Total.Failed, st.Restarts, st.MostUsed, tc.good, tc.failed, tc.restarts, tc.used)
		}
		if r.Total.Open == 0 && r.End != tc.end {
			t.Errorf("%s: all is over at %v, want %v", name, r.End, tc.end)
		}
	}
}

// TestKilledAmidCalls: what a killed process was asked fails at once, wherever
// it was; what it asked of others is abandoned.
func TestKilledAmidCalls(t *testing.T) {
	for name, tc := range map[string]struct {
		killed       int // station
		at           time.Duration
		failed, lost uint64
		end          time.Duration // of the last work
	}{
		"the front, at its own work":       {0, 5 * ms, 1, 0, 5 * ms},
		"the front, with a call under way": {0, 15 * ms, 1, 1, 20 * ms},
		"the back":                         {1, 15 * ms, 1, 1, 15 * ms},
		"the back, not in use":             {1, 5 * ms, 0, 0, 20 * ms},
	} {
		s := simple(time.Second, Batch{N: 1}, Kind{
			Service: Deterministic(10 * ms), Calls: []Call{{Station: 1, Service: Deterministic(10 * ms)}},
		}, Station{})
		s.Stations = []Station{{Name: "front", Workers: 1}, {Name: "back", Workers: 1}}
		s.Stations[tc.killed].Disturbances = []Disturbance{{tc.at, Restart(0)}}
		r := play(t, s, 1)
		if c := &r.Calls[0]; r.Total.Failed != tc.failed || c.Lost != tc.lost || c.Good+c.Lost != c.Offered || r.End != tc.end {
			t.Errorf("%s: %d requests failed, %d calls lost, over at %v; want %d, %d, %v", name, r.Total.Failed, c.Lost, r.End, tc.failed, tc.lost, tc.end)
		}
	}
}

// TestNewProcessNewGate: the gate of a process that was killed has to learn its
// limit anew.
func TestNewProcessNewGate(t *testing.T) {
	made := 0
	g := &Gate{Limit: func() limit.Algorithm { made++; return limit.NewFixed(2) }}
	run := func(effects ...Disturbance) int {
		made = 0
		play(t, simple(time.Second, Constant{Rate: 10}, Kind{Service: Deterministic(10 * ms)}, Station{Workers: 4, Gate: g, Disturbances: effects}), 1)
		return made
	}
	if once, thrice := run(), run(Disturbance{100 * ms, Restart(0)}, Disturbance{200 * ms, Restart(0)}); thrice != once+2 {
		t.Errorf("%d limits were made, with two restarts %d", once, thrice)
	}
}

// TestReconnect: when a process is back, its clients are, too.
func TestReconnect(t *testing.T) {
	for name, tc := range map[string]struct {
		wave    Reconnect
		effects []Disturbance
		offered uint64
		end     time.Duration
	}{
		"no restart":      {Reconnect{N: 5}, nil, 0, time.Second},
		"one":             {Reconnect{N: 5}, []Disturbance{{100 * ms, Restart(200 * ms)}}, 5, time.Second},
		"two":             {Reconnect{N: 5}, []Disturbance{{100 * ms, Restart(200 * ms)}, {500 * ms, Restart(0)}}, 10, time.Second},
		"one within one":  {Reconnect{N: 5}, []Disturbance{{100 * ms, Restart(200 * ms)}, {200 * ms, Restart(0)}}, 5, time.Second},
		"long":            {Reconnect{N: 100}, []Disturbance{{100 * ms, Restart(200 * ms)}}, 100, 1300 * ms},
		"spread":          {Reconnect{N: 100, Over: 600 * ms}, []Disturbance{{100 * ms, Restart(200 * ms)}}, 100, 0},
		"after the end":   {Reconnect{N: 5}, []Disturbance{{100 * ms, Restart(2 * time.Second)}}, 0, time.Second},
		"partly after it": {Reconnect{N: 100, Over: 1400 * ms}, []Disturbance{{100 * ms, Restart(200 * ms)}}, 50, 0},
		"nobody":          {Reconnect{}, []Disturbance{{100 * ms, Restart(200 * ms)}}, 0, time.Second},
	} {
		r := play(t, simple(time.Second, tc.wave, Kind{Service: Deterministic(10 * ms)}, Station{Workers: 1, Disturbances: tc.effects}), 1)
		if tc.end > 0 && (r.Total.Good != tc.offered || r.Total.Offered != tc.offered || r.End != tc.end) {
			t.Errorf("%s: %d of %d served, over at %v; want %d, %v", name, r.Total.Good, r.Total.Offered, r.End, tc.offered, tc.end)
		}
		if n := r.Total.Offered; tc.end == 0 && (n < tc.offered-15 || n > tc.offered+15) {
			t.Errorf("%s: %d came, want about %d", name, n, tc.offered)
		}
	}
}
