package sim

import (
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/plimsoll-go/plimsoll/queue"
)

// recorded reads a trace: a head, then a time in seconds a line.
func recorded(t *testing.T, file string) (trace Trace) {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range strings.Fields(string(text))[1:] {
		s, err := strconv.ParseFloat(line, 64)
		if err != nil {
			t.Fatal(err)
		}
		trace = append(trace, nanoseconds(s*1e9))
	}
	return trace
}

// r14 is the policies of case R14.
var r14 = []struct {
	name                string
	station             Station
	good, late, refused float64
	p99                 time.Duration
}{
	{"unbounded", Station{}, 590, 6562, 0, 0},
	{"bounded", Station{Gate: bounded(1, 50)}, 6050, 0, 1102, 510 * ms},
	{"deadline", Station{Gate: deadlines(queue.OldestFirst, 10*ms)}, 6099, 0, 1053, time.Second},
	{"newest first", Station{NewestFirst: true}, 6020, 1132, 0, 0},
}

// TestR14Recorded: one worker of 10 ms, callers wait 1 s, 7,152 recorded
// arrivals of a Poisson stream of 120/s.
func TestR14Recorded(t *testing.T) {
	trace := recorded(t, "testdata/arrivals-002.csv")
	for _, tc := range r14 {
		tc.station.Workers = 1
		r := play(t, simple(61*time.Second, trace, Kind{Service: Deterministic(10 * ms), Client: Client{Patience: time.Second}}, tc.station), 1)
		near(t, tc.name+": offered", float64(r.Total.Offered), 7152, 0)
		near(t, tc.name+": in time", float64(r.Total.Good), tc.good, 0)
		near(t, tc.name+": late", float64(r.Total.Late), tc.late, 0)
		near(t, tc.name+": refused", float64(r.Total.RefusedTotal()), tc.refused, 0)
		if tc.p99 > 0 {
			near(t, tc.name+": p99 s", r.Total.Latencies.Quantile(0.99).Seconds(), tc.p99.Seconds(), tc.p99.Seconds()/32)
		}
	}
}

// TestR14Drawn: the same on arrivals of its own, in the mean of 40 seeds.
func TestR14Drawn(t *testing.T) {
	t.Parallel()
	const seeds = 40
	for _, tc := range r14 {
		good := 0.0
		tc.station.Workers = 1
		for seed := range uint64(seeds) {
			r := play(t, simple(time.Minute, Poisson{Rate: 120}, Kind{Service: Deterministic(10 * ms), Client: Client{Patience: time.Second}}, tc.station), seed)
			good += float64(r.Total.Good) / seeds
		}
		near(t, tc.name+": in time", good, tc.good, tc.good/20)
	}
}

// TestR24Thumbnails: one worker of 10 ms, 1,200 at once, every fourth a
// thumbnail whose player waits 2 s, the others wait 10 s.
func TestR24Thumbnails(t *testing.T) {
	for _, tc := range []struct {
		name string
		gate *Gate
		want uint64
	}{
		{"one cap of 200", &Gate{Limit: Fixed(200), MaxQueue: -1, NoPrediction: true}, 200},
		{"one cap of 1,000", &Gate{Limit: Fixed(1000), MaxQueue: -1, NoPrediction: true}, 800},
		{"own deadlines, oldest first", deadlines(queue.OldestFirst, 10*ms), 950},
		{"own deadlines, earliest first", deadlines(queue.EarliestDeadline, 10*ms), 1000},
	} {
		s := simple(time.Second, Batch{N: 1200}, Kind{}, Station{Workers: 1, Gate: tc.gate})
		s.Sources[0].InTurn = true
		s.Sources[0].Kinds = []Kind{
			{Name: "thumbnail", Service: Deterministic(10 * ms), Client: Client{Patience: 2 * time.Second}},
			{Name: "status", Weight: 3, Service: Deterministic(10 * ms), Client: Client{Patience: 10 * time.Second}},
		}
		if r := play(t, s, 1); r.Total.Good != tc.want {
			t.Errorf("%s: %d in time, want %d", tc.name, r.Total.Good, tc.want)
		}
	}
}

// TestR25Backlog: 460/s, 700/s for 60 s and then 300/s, no bound, callers wait
// 2 s.
func TestR25Backlog(t *testing.T) {
	s := simple(3*time.Minute, Steps{Pieces: []Step{{time.Minute, 700}, {2 * time.Minute, 300}}},
		Kind{Service: Deterministic(time.Second / 460), Client: Client{Patience: 2 * time.Second}}, Station{Workers: 1})
	s.Bucket = 100 * ms
	r := play(t, s, 1)
	near(t, "queued after 60 s", depth(r, time.Minute), 14400, 144)
	near(t, "goodput after 10 s", rate(r, 10*time.Second, time.Minute), 0, 4.6)
	// first is when, after the load fell, a bucket first is as asked.
	first := func(ok func(i int) bool) float64 {
		for i := 600; i < len(r.Series); i++ {
			if ok(i) {
				return float64(i+1)/10 - 60
			}
		}
		return 0
	}
	// Who came at 60 s is the one with so many before it.
	ahead := r.Sum(0, time.Minute).Offered
	served := uint64(0)
	for _, p := range r.Series[:600] {
		served += p.Started
	}
	old := first(func(i int) bool { served += r.Series[i].Started; return served >= ahead })
	near(t, "old backlog served", old, 31.3, 0.313)
	waited := r.Series[600+int(old*10)-1].MeanWait().Seconds()
	near(t, "wait of who came at 60 s", waited, 31.3, 0.313)
	near(t, "queue empty", first(func(i int) bool { return r.Stations[0].Series[i].Depth == 0 }), 90, 0.9)
	// Who had a worker at that time came two seconds before it.
	near(t, "wait below 2 s", first(func(i int) bool { return r.Series[i].MeanWait() < 2*time.Second })-2, 84, 0.84)
	near(t, "31 s against a refusal of 2 ms", waited/0.002, 15500, 500)
}

// TestR29NewestFirst: 5,000 waiting, 700/s more on 460/s, callers wait 2 s.
func TestR29NewestFirst(t *testing.T) {
	run := func(newest bool) float64 {
		k := []Kind{{Service: Deterministic(time.Second / 460), Client: Client{Patience: 2 * time.Second}}}
		r := play(t, Scenario{
			Length: 20 * time.Second,
			Sources: []Source{
				// The old ones have waited for as long as anybody does.
				{Name: "waiting", Arrivals: Batch{N: 5000}, Kinds: []Kind{{Service: k[0].Service, Client: Client{Patience: 1}}}},
				{Name: "new", Arrivals: Constant{Rate: 700}, Kinds: k},
			},
			Stations: []Station{{Workers: 1, NewestFirst: newest}},
		}, 1)
		return rate(r, 0, 20*time.Second) / 460
	}
	near(t, "oldest first, share of capacity", run(false), 0, 0.02)
	if got := run(true); got < 0.97 {
		t.Errorf("newest first: %.3f of capacity, want 0.97 at least", got)
	}
}

// TestB61TheQueueIsUsed: three slots, a queue beside them, six requests of 3 s
// at once: all are answered, three after 3 s and three after 6 s.
func TestB61TheQueueIsUsed(t *testing.T) {
	r := play(t, simple(time.Second, Batch{N: 6}, Kind{Service: Deterministic(3 * time.Second)},
		Station{Workers: 3, Gate: &Gate{Limit: Fixed(3), MaxQueue: 1024, MaxWait: 10 * time.Second}}), 1)
	if n := r.Total.RefusedTotal(); r.Total.Good != 6 || n != 0 {
		t.Errorf("%d answered, %d refused", r.Total.Good, n)
	}
	if a, b := r.Series[3].Done, r.Series[len(r.Series)-1].Done; a != 3 || b != 3 || r.End != 6*time.Second {
		t.Errorf("%d at 3 s, %d at %v", a, b, r.End)
	}
}

// TestB26OrdersUnderSteadyOverload: 10 workers of 100 ms, 150/s on 100/s,
// callers wait 1 s, 1,000 places.
func TestB26OrdersUnderSteadyOverload(t *testing.T) {
	gates := map[string]Gate{}
	for _, o := range []queue.Order{queue.OldestFirst, queue.NewestFirst, queue.Adaptive} {
		gates[o.String()] = Gate{Order: o}
	}
	gates["CoDel"] = Gate{Order: queue.OldestFirst, CoDel: &queue.CoDel{}}
	for o, g := range gates {
		g.Limit, g.MaxQueue, g.MaxWait = Fixed(10), 1000, time.Second
		r := play(t, simple(time.Minute, Poisson{Rate: 150}, Kind{Service: Deterministic(100 * ms), Client: Client{Patience: time.Second}},
			Station{Workers: 10, Gate: &g}), 1)
		a := &r.Total
		late, p99 := float64(a.Late)/float64(a.Good+a.Late), a.Latencies.Quantile(0.99)
		got := rate(r, 30*time.Second, time.Minute)
		t.Logf("%v: %.1f/s good after 30 s, %.4f of what was done late, p99 %v", o, got, late, p99)
		if got < 90 || late > 0.01 || p99 > time.Second {
			t.Errorf("%v: %.1f/s good after 30 s, %.4f of what was done late, p99 %v", o, got, late, p99)
		}
	}
}
