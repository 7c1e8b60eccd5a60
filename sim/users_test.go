package sim

import (
	"math"
	"testing"
	"time"
)

// loop is a closed loop of so many users on one worker.
func loop(users int, think, service Service, length time.Duration, client Client) Scenario {
	return Scenario{
		Length: length, Bucket: length,
		Sources:  []Source{{Users: users, Think: think, Kinds: []Kind{{Service: service, Client: client}}}},
		Stations: []Station{{Workers: 1}},
	}
}

// TestResponseTimeLaw: X = N / (R + Z), the interactive response-time law
// (Denning and Buzen, Computing Surveys 10(3), 1978). Every user goes round
// without a gap, so that it holds to the nanosecond for one, from its first
// request to its last answer; and for many but for the round that each has
// begun at either end.
func TestResponseTimeLaw(t *testing.T) {
	const think = 700 * ms
	r := play(t, loop(1, Deterministic(think), Exponential(300*ms), 1000*time.Second, Client{}), 1)
	n := time.Duration(r.Total.Good)
	if rest := r.End - r.Total.Latencies.Sum() - (n-1)*think; rest < 0 || rest > think {
		t.Errorf("one user: %d rounds and %v of answers leave %v before the first, want a part of %v", n, r.Total.Latencies.Sum(), rest, think)
	}
	for _, users := range []int{1, 3, 10, 40} {
		const length = 2000 * time.Second
		r := play(t, loop(users, Deterministic(think), Exponential(100*ms), length, Client{}), 2)
		x := float64(r.Total.Good) / length.Seconds()
		mean := r.Total.Latencies.Sum().Seconds() / float64(r.Total.Good)
		got, edge := x*(mean+think.Seconds()), float64(users)*(think.Seconds()+r.Total.Latencies.Quantile(1).Seconds())/length.Seconds()
		t.Logf("%d users: X (R + Z) = %.3f, within %.3f", users, got, edge)
		if math.Abs(got-float64(users)) > edge {
			t.Errorf("%d users: X (R + Z) = %v, want %d within %v", users, got, users, edge)
		}
	}
}

// TestMachineRepairman: throughput of M/M/1//N, N machines that run for an
// exponential time and one who repairs them: mu (1 - p0), with 1/p0 the sum of
// N!/(N-k)! (lambda/mu)^k, within three standard errors.
func TestMachineRepairman(t *testing.T) {
	const service, length, seeds = 100 * ms, 1000 * time.Second, 12
	for _, tc := range []struct {
		users int
		think time.Duration
	}{{1, time.Second}, {5, time.Second}, {10, time.Second}, {20, time.Second}, {8, 200 * ms}} {
		sum, term := 1.0, 1.0
		for k := 1; k <= tc.users; k++ {
			term *= float64(tc.users-k+1) * float64(service) / float64(tc.think)
			sum += term
		}
		want := (1 - 1/sum) / service.Seconds()
		var rates []float64
		for seed := range uint64(seeds) {
			r := play(t, loop(tc.users, Exponential(tc.think), Exponential(service), length, Client{}), seed)
			rates = append(rates, float64(r.Total.Good)/length.Seconds())
		}
		mean, se := spread(rates)
		t.Logf("%d users of %v: %.3f a second, want %.3f, standard error %.3f", tc.users, tc.think, mean, want, se)
		if math.Abs(mean-want) > 3*se+0.001 {
			t.Errorf("%d users of %v: %.3f a second, want %.3f within 3 x %.3f", tc.users, tc.think, mean, want, se)
		}
	}
}

// TestUsersWait: a user asks again only when its request has been answered or
// is lost, all attempts included; without thinking it does so at once.
func TestUsersWait(t *testing.T) {
	refuse := &Gate{Limit: Fixed(1), MaxQueue: -1}
	for name, tc := range map[string]struct {
		users   int
		think   Service
		client  Client
		gate    *Gate
		offered uint64 // in 10 s of a service of 1 s
		good    uint64
	}{
		"one":                    {1, nil, Client{}, nil, 10, 10},
		"one that thinks":        {1, Deterministic(time.Second), Client{}, nil, 5, 5},
		"one that gives up":      {1, nil, Client{Patience: 400 * ms}, nil, 25, 0},
		"one that tries twice":   {1, nil, Client{Patience: 400 * ms, Attempts: 2}, nil, 13, 0},
		"two, one of them waits": {2, nil, Client{}, nil, 11, 11},
		"two, one is refused":    {2, Deterministic(500 * ms), Client{Attempts: 3, Backoff: 250 * ms, Jitter: NoJitter}, refuse, 0, 0},
	} {
		s := loop(tc.users, tc.think, Deterministic(time.Second), 10*time.Second, tc.client)
		s.Stations[0].Gate = tc.gate
		r := play(t, s, 1)
		a := &r.Total
		if tc.offered > 0 && (a.Offered != tc.offered || a.Good != tc.good) {
			t.Errorf("%s: %d offered, %d answered, want %d and %d", name, a.Offered, a.Good, tc.offered, tc.good)
		}
		if a.Good+a.Lost != a.Offered || a.Open != 0 {
			t.Errorf("%s: the books do not close: %+v", name, a.Counts)
		}
		// Nobody is at two things at once: a round lasts its answer or its
		// attempts, and a user has one at a time.
		if most := uint64(tc.users) * 30; a.Offered > most {
			t.Errorf("%s: %d offered, want no more than %d", name, a.Offered, most)
		}
	}
}

// TestUsersSpread: users do not begin together.
func TestUsersSpread(t *testing.T) {
	s := loop(1000, Deterministic(10*time.Second), Deterministic(0), 10*time.Second, Client{})
	s.Bucket = time.Second
	for i, p := range play(t, s, 1).Series {
		if i < 10 && (p.Offered < 60 || p.Offered > 140) {
			t.Errorf("second %d: %d of 1000 users begin, want about 100", i, p.Offered)
		}
	}
}
