package sim

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/plimsoll-go/plimsoll/class"
)

// wild makes scenarios of trees at random: everything that may happen to a
// call happens in them.
type wild struct{ *rand.Rand }

func (w wild) some(n int) int { return w.IntN(n) }

func (w wild) yes(percent int) bool { return w.IntN(100) < percent }

func (w wild) time(most time.Duration) time.Duration {
	return time.Duration(w.Int64N(int64(most) + 1)).Truncate(ms)
}

func (w wild) client() Client {
	c := Client{Attempts: w.some(4), Hangup: w.yes(50), HonourRetryAfter: w.yes(30)}
	if w.yes(80) {
		c.Patience = ms + w.time(200*ms)
	}
	if w.yes(30) {
		c.Backoff = w.time(30 * ms)
	}
	if w.yes(15) {
		c.Budget = &Budget{Share: 0.5}
	}
	if w.yes(15) {
		c.Throttle = &Throttle{Window: time.Second}
	}
	if w.yes(15) {
		c.Breaker = &Breaker{Open: w.time(100*ms) + ms}
	}
	return c
}

func (w wild) calls(stations, level int) []Call {
	var calls []Call
	for i := range w.some(4 - level) {
		c := Call{
			Name: fmt.Sprint(i), Station: w.some(stations), Service: Exponential(w.time(20 * ms)), Calls: w.calls(stations, level+1),
			Times: w.some(4), Parallel: w.yes(50), BeforeGate: w.yes(20), Optional: w.yes(20), NoWait: w.yes(5), Bytes: w.Int64N(3),
			Untagged: w.yes(20), Client: w.client(),
		}
		switch w.some(4) {
		case 0:
			c.Deadline = -1
		case 1:
			c.Deadline = ms + w.time(100*ms)
		}
		if w.yes(30) {
			c.Margin = w.time(20 * ms)
		}
		if i > 0 && (c.Parallel || c.Times <= 1) && w.yes(30) {
			if b := calls[i-1]; b.Along || b.Parallel || b.Times <= 1 {
				c.Along, c.BeforeGate = true, b.BeforeGate
			}
		}
		calls = append(calls, c)
	}
	return calls
}

func (w wild) scenario() Scenario {
	s := Scenario{Length: 2 * time.Second, Grace: 5 * time.Second}
	for i := range 1 + w.some(4) {
		st := Station{Name: fmt.Sprint("station ", i), Workers: w.some(5), NewestFirst: w.yes(20)}
		if w.yes(60) {
			st.Gate = &Gate{MaxQueue: w.some(20) - 1}
		}
		if w.yes(20) {
			st.Gate, st.Admitter = nil, func() Admitter { return fickle{} }
		}
		if w.yes(30) {
			st.RefusalCost = 0.1
		}
		if w.yes(30) {
			st.Memory = &Memory{Each: 1, Most: int64(1 + w.some(30)), Restart: w.time(500 * ms)}
		}
		if w.yes(30) {
			st.Sharing = &Sharing{Cores: float64(w.some(3))}
		}
		if w.yes(20) {
			st.Cache = &Cache{Warm: 10, Slowdown: 3}
		}
		for range w.some(4) {
			effects := []Effect{
				Restart(w.time(300 * ms)), Stall(w.time(300 * ms)), Workers(w.some(3)), Slowdown(2), ExtraDelay(w.time(50 * ms)),
				Recover{w.time(time.Second)}, ColdCache{},
			}
			if st.Admitter == nil {
				effects = append(effects, UseGate{&Gate{}}, UseGate{})
			}
			st.Disturbances = append(st.Disturbances, Disturbance{w.time(2 * time.Second), effects[w.some(len(effects))]})
		}
		s.Stations = append(s.Stations, st)
	}
	for i := range 1 + w.some(3) {
		var a Arrivals = Poisson{Rate: 1 + float64(w.some(100))}
		if w.yes(30) {
			a = Reconnect{N: w.some(20), Over: w.time(200 * ms)}
		}
		users, think := 0, Service(nil)
		if w.yes(20) {
			a, users, think = nil, w.some(20)+1, Exponential(20*ms)
		}
		s.Sources = append(s.Sources, Source{Name: fmt.Sprint("source ", i), Arrivals: a, Users: users, Think: think, Station: w.some(len(s.Stations)), Kinds: []Kind{{
			Service: Exponential(w.time(20 * ms)), Client: w.client(), Calls: w.calls(len(s.Stations), 1), Bytes: w.Int64N(3),
			Criticality: class.Criticality(w.some(5)),
		}}})
	}
	return s
}

// TestBooksOfTrees: whatever happens, every request and every attempt has one
// end, nobody works in vain more than at all, and Little's law holds, which Run
// itself sees to.
func TestBooksOfTrees(t *testing.T) {
	t.Parallel()
	open, calls, killed, failed := uint64(0), uint64(0), uint64(0), uint64(0)
	for i := range uint64(400) {
		s := wild{rand.New(rand.NewPCG(i, 9))}.scenario()
		r := play(t, s, i)
		worked, wasted := time.Duration(0), time.Duration(0)
		check := func(name string, tally *Tally) {
			worked, wasted = worked+tally.Worked, wasted+tally.Wasted
			ended := tally.Good + tally.Late + tally.RefusedTotal() + tally.Failed
			if tally.Good+tally.Lost > tally.Offered || ended > tally.Attempts || tally.Late+tally.Failed == 0 && tally.Wasted > 0 {
				t.Errorf("scenario %d: %s: %+v", i, name, counts(tally))
			}
			if r.End < s.Length+s.Grace && (tally.Open > 0 || ended != tally.Attempts) {
				t.Errorf("scenario %d: %s: all is over, and something is open: %+v", i, name, counts(tally))
			}
			open, failed = open+tally.Open, failed+tally.Failed
		}
		asked := map[string]uint64{} // stations
		for j := range r.Kinds {
			check(r.Kinds[j].Source, &r.Kinds[j].Tally)
			asked[s.Stations[s.Sources[j].Station].Name] += r.Kinds[j].Attempts
		}
		for j := range r.Calls {
			check(r.Calls[j].Source+"/"+r.Calls[j].Call, &r.Calls[j].Tally)
			calls += r.Calls[j].Attempts
			asked[r.Calls[j].Station] += r.Calls[j].Attempts
		}
		for _, st := range r.Stations {
			killed += st.Restarts
			if st.Arrived != asked[st.Station] {
				t.Errorf("scenario %d: %s: %d attempts arrived, %d were sent", i, st.Station, st.Arrived, asked[st.Station])
			}
		}
		if i%10 == 0 && play(t, s, i).Fingerprint() != r.Fingerprint() {
			t.Errorf("scenario %d: two runs have two reports", i)
		}
		if wasted > worked {
			t.Errorf("scenario %d: %v of %v work was wasted", i, wasted, worked)
		}
	}
	t.Logf("%d calls, %d failures, %d restarts, %d open", calls, failed, killed, open)
}

// fickle is an admitter that does all that one may do.
type fickle struct{}

func (fickle) Arrive(_ View, r Request) Admission { return Admission(r.Number >> 32 % 3) }

func (fickle) Room(v View) bool { return v.InFlight < 3 }

func (fickle) Begin(_ View, r Request, _ time.Duration) bool { return r.Number>>40%5 > 0 }

func (fickle) End(View, Request, Served) {}

func (fickle) Limit() int { return 3 }

// counts is what a tally counts, for messages.
func counts(t *Tally) map[string]uint64 {
	return map[string]uint64{
		"offered": t.Offered, "good": t.Good, "lost": t.Lost, "open": t.Open, "attempts": t.Attempts,
		"late": t.Late, "gave up": t.GaveUp, "refused": t.RefusedTotal(), "failed": t.Failed,
	}
}
