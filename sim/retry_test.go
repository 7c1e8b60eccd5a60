package sim

import (
	"math"
	"strings"
	"testing"
	"time"
)

// attemptRate is the attempts a second between two times.
func attemptRate(r *Report, from, to time.Duration) float64 {
	return float64(r.Sum(from, to).Attempts) / (to - from).Seconds()
}

// TestR26Retries: three attempts for each of 500/s against 460/s. Where all
// time out they are 1,500/s; where what is refused comes back, so many that
// each of the three is refused as often as another; with a budget of 10 %, no
// more than 1.1 of what is offered. Three layers of three attempts are 27.
func TestR26Retries(t *testing.T) {
	t.Parallel()
	const offered, capacity, length = 500.0, 460.0, 120 * time.Second
	service := Deterministic(time.Second / capacity)
	run := func(c Client, g *Gate) *Report {
		c.Attempts = 3
		return play(t, simple(length, Poisson{Rate: offered}, Kind{Service: service, Client: c}, Station{Workers: 1, Gate: g}), 1)
	}
	impatient := Client{Patience: 2 * time.Second}
	refused := Client{Backoff: time.Second}

	r := run(impatient, nil)
	near(t, "unbounded, attempts a second", attemptRate(r, length/2, length), 1500, 75)

	x := offered // of attempts: all of the first, and those again that were refused
	for range 100 {
		q := 1 - capacity/x
		x = offered * (1 + q + q*q)
	}
	near(t, "refusing, by the formula", x, 808, 1)
	r = run(refused, bounded(1, 20))
	near(t, "refusing, attempts a second", attemptRate(r, length/2, length), x, 0.05*x)

	for name, tc := range map[string]struct {
		client Client
		gate   *Gate
	}{"unbounded": {impatient, nil}, "refusing": {refused, bounded(1, 20)}} {
		tc.client.Budget = &Budget{Share: 0.1}
		r := run(tc.client, tc.gate)
		amplification := float64(r.Total.Attempts) / float64(r.Total.Offered)
		t.Logf("%s, with a budget: amplification %.4f", name, amplification)
		if amplification > 1.1 || r.Total.OutOfBudget == 0 {
			t.Errorf("%s: amplification %v, %d out of budget", name, amplification, r.Total.OutOfBudget)
		}
		if a := &r.Total; a.Good+a.Lost != a.Offered {
			t.Errorf("%s: the books do not close: %+v", name, a.Counts)
		}
		for from := time.Duration(0); from < length; from += 10 * time.Second {
			if p := r.Sum(from, from+10*time.Second); float64(p.Attempts) > 1.2*float64(p.Offered) {
				t.Errorf("%s: %d attempts of %d requests in the ten seconds from %v", name, p.Attempts, p.Offered, from)
			}
		}
	}
}

// TestR26Layers: the client, a proxy and another proxy each try three times
// against a station that never answers in time: 27 attempts reach it. With a
// budget at each layer there are hardly more than requests.
func TestR26Layers(t *testing.T) {
	for _, budget := range []*Budget{nil, {Share: 0.1}} {
		client := Client{Attempts: 3, Budget: budget}
		last := Call{Name: "backend", Station: 2, Service: Deterministic(0), Client: client}
		middle := Call{Name: "second proxy", Station: 1, Service: Deterministic(0), Calls: []Call{last}, Client: client}
		r := play(t, Scenario{
			Length: 100 * time.Second,
			Sources: []Source{{Arrivals: Constant{Rate: 100}, Kinds: []Kind{{
				Service: Deterministic(0), Calls: []Call{middle}, Client: client,
			}}}},
			Stations: []Station{{Name: "first"}, {Name: "second"}, {Name: "backend", Disturbances: []Disturbance{{0, Restart(1000 * time.Second)}}}},
		}, 1)
		each := float64(r.Calls[1].Attempts) / float64(r.Total.Offered)
		if budget == nil {
			near(t, "attempts at the last of three layers", each, 27, 0)
		} else if t.Logf("with budgets: %.3f", each); each > 1.1*1.1*1.1 {
			t.Errorf("with budgets: %v attempts a request at the last of three layers", each)
		}
	}
}

// TestThunderingRetries: a thousand who fail together come back together,
// unless they draw lots.
func TestThunderingRetries(t *testing.T) {
	peak := func(j Jitter) (most uint64) {
		c := Client{Attempts: 4, Backoff: time.Second, Jitter: j}
		s := simple(time.Second, Batch{N: 1000}, Kind{Service: Deterministic(ms), Client: c}, Station{Workers: 1, Gate: bounded(1, 10)})
		s.Bucket = 10 * ms
		for i, p := range play(t, s, 1).Series {
			if i > 0 {
				most = max(most, p.Attempts)
			}
		}
		return most
	}
	together, spread := peak(NoJitter), peak(FullJitter)
	t.Logf("at most %d attempts in 10 ms without jitter, %d with", together, spread)
	if together < 980 || spread > 40 {
		t.Errorf("at most %d attempts in 10 ms without jitter, %d with; want all of 989, and about 10", together, spread)
	}
}

// TestBreakerInARun: a station that hangs for ten seconds. Without a breaker
// everybody waits in vain; with one, five do, and then one at a time, until
// the first that succeeds.
func TestBreakerInARun(t *testing.T) {
	c := Client{Patience: 500 * ms, Breaker: &Breaker{Open: time.Second}}
	s := simple(30*time.Second, Constant{Rate: 100}, Kind{Service: Deterministic(5 * ms), Client: c},
		Station{Workers: 100, Disturbances: []Disturbance{{5 * time.Second, Slowdown(10_000)}, {15 * time.Second, Slowdown(1)}}})
	r := play(t, s, 1)
	if n := r.Sum(0, 5*time.Second).Held + r.Sum(18*time.Second, 30*time.Second).Held; n > 0 {
		t.Errorf("%d held while all is well", n)
	}
	// Until the fifth patience ends, half a second's attempts and a few more.
	if n := r.Sum(5*time.Second, 6*time.Second).Attempts; n < 50 || n > 60 {
		t.Errorf("%d attempts in the first second, want 55 or so", n)
	}
	if n := r.Sum(7*time.Second, 15*time.Second).Attempts; n < 4 || n > 8 {
		t.Errorf("%d attempts from 7 s to 15 s, want one in a second and a half", n)
	}
	if a := &r.Total; a.Good+a.Lost != a.Offered || a.Attempts+a.Held != a.Offered || a.Attempts != a.Good+a.Late {
		t.Errorf("the books do not close: %+v", a.Counts)
	}
}

// TestThrottleInARun: an ungated station at three times its capacity, whose
// refusals cost a tenth of a service: the throttle takes the refusing from it.
func TestThrottleInARun(t *testing.T) {
	run := func(h *Throttle) *Report {
		c := Client{Throttle: h}
		return play(t, simple(120*time.Second, Poisson{Rate: 300}, Kind{Service: Deterministic(10 * ms), Client: c},
			Station{Workers: 1, RefusalCost: 0.1, Gate: bounded(1, 10)}), 1)
	}
	without, with := run(nil), run(&Throttle{Window: 20 * time.Second})
	a, b := rate(without, 60*time.Second, 120*time.Second), rate(with, 60*time.Second, 120*time.Second)
	t.Logf("%.1f a second without a throttle, %.1f with; %.1f sent", a, b, attemptRate(with, 60*time.Second, 120*time.Second))
	if b < a+5 || with.Total.Held == 0 {
		t.Errorf("%.1f a second without a throttle, %.1f with, %d held", a, b, with.Total.Held)
	}
}

// TestGuardsLeaveTheRest: whatever is put between callers and a station, the
// same requests come at the same times and need the same.
func TestGuardsLeaveTheRest(t *testing.T) {
	offered := func(change func(*Client)) (all []uint64) {
		s := motley()
		for i := range s.Sources {
			for j := range s.Sources[i].Kinds {
				change(&s.Sources[i].Kinds[j].Client)
			}
		}
		r := play(t, s, 5)
		for i := range r.Kinds {
			all = append(all, r.Kinds[i].Offered)
		}
		for i := range 30 { // half seconds
			all = append(all, r.Series[i].Offered)
		}
		return all
	}
	want := offered(func(*Client) {})
	for name, change := range map[string]func(*Client){
		"budget":    func(c *Client) { c.Budget = &Budget{} },
		"throttle":  func(c *Client) { c.Throttle = &Throttle{} },
		"breaker":   func(c *Client) { c.Breaker = &Breaker{Failures: 2} },
		"no jitter": func(c *Client) { c.Jitter = NoJitter },
		"once":      func(c *Client) { c.Attempts = 1 },
		"all":       func(c *Client) { c.Budget, c.Throttle, c.Breaker = &Budget{}, &Throttle{}, &Breaker{} },
	} {
		got := offered(change)
		for i := range want {
			if got[i] != want[i] {
				t.Errorf("%s: figure %d of what is offered is %d, want %d", name, i, got[i], want[i])
				break
			}
		}
	}
}

// TestValidateCallers: faults of arrivals and of callers' guards, all at once.
func TestValidateCallers(t *testing.T) {
	nan := math.NaN()
	bad := Scenario{
		Length: time.Second, Stations: []Station{{}},
		Sources: []Source{
			{Name: "none", Kinds: []Kind{{Service: Deterministic(0), Client: Client{RefusalsFail: true}}}},
			{Name: "two", Users: 1, Arrivals: Sine{Rate: 1}, Kinds: []Kind{{Service: Deterministic(0)}}},
			{Name: "users", Users: -1, Think: Deterministic(-1), Kinds: []Kind{{Service: Deterministic(0)}}},
			{Name: "think", Think: Deterministic(1), Arrivals: Markov{States: []State{{0, time.Second}}}, Kinds: []Kind{{Service: Deterministic(0)}}},
			{Name: "records", Records: []Record{{At: 5, Kind: "x", Criticality: 9, Level: 200, Deadline: -1, Cost: -1, Service: -1}, {At: 4, Kind: "k"}, {At: 5}}, Kinds: []Kind{{Name: "k"}}},
			{Name: "guards", Arrivals: Markov{States: []State{{1, 1}}}, Kinds: []Kind{{Service: Deterministic(0), Client: Client{
				Jitter: 7, Budget: &Budget{Share: nan, Reserve: nan}, Throttle: &Throttle{K: 0.5, Window: -1},
				Breaker: &Breaker{Failures: -1, Share: nan, Window: -1, Samples: -1, Open: -1, Probes: -1},
			}}}},
		},
	}
	_, err := Run(bad, 1)
	if err == nil {
		t.Fatal("no fault")
	}
	for _, want := range []string{
		`"none".Arrivals: want a stream`, `"two".Arrivals: want an Amplitude`, `"two".Arrivals: want a stream, Records or Users, and one`,
		`"users".Users:`, `"users".Think:`, `"think".Think: want Users`, `"think".Arrivals: want a state with a rate`,
		"Records[0].Kind:", "Records[0].Criticality:", "Records[0].Level:", "Records[0].Deadline:", "Records[0].Cost:", "Records[0].Service:",
		"Records[1].At:", "Records[1].Service: want how long", `"records".Kinds[0] "k".Service: want how long it takes, as some`,
		`"guards".Arrivals: want rates`, "Client.RefusalsFail: want a Breaker", "Client.Jitter:", "Budget.Share:", "Budget.Reserve:", "Throttle.K:", "Throttle.Window:",
		"Breaker.Failures:", "Breaker.Share:", "Breaker.Window:", "Breaker.Samples:", "Breaker.Open:", "Breaker.Probes:",
	} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("no fault at %s in\n%v", want, err)
		}
	}
}

// TestBreakerOfACall: one station calls another, which hangs, with a breaker
// between them. An attempt that fails with the deadline that it has inherited
// counts, although its request ends at the same time and leaves it.
func TestBreakerOfACall(t *testing.T) {
	for _, patience := range []time.Duration{0, 20 * ms} {
		k := Kind{Service: Deterministic(0), Client: Client{Patience: 100 * ms, Hangup: true}, Calls: []Call{{
			Station: 1, Service: Deterministic(time.Hour),
			Client: Client{Patience: patience, Breaker: &Breaker{Failures: 3, Open: 10 * time.Second}},
		}}}
		r := play(t, Scenario{
			Length: 5 * time.Second, Grace: -1, Stations: []Station{{Name: "asks"}, {Name: "hangs"}},
			Sources: []Source{{Arrivals: Constant{Rate: 10}, Kinds: []Kind{k}}},
		}, 1)
		if c := &r.Calls[0]; c.Held < 40 || c.Attempts > 5 || c.Held+c.Attempts != 50 {
			t.Errorf("patience %v: %d attempts, %d held", patience, c.Attempts, c.Held)
		}
	}
}
