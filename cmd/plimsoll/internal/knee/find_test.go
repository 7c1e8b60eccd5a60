package knee

import (
	"errors"
	"math"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/plimsoll-go/plimsoll/class"
	"github.com/plimsoll-go/plimsoll/cmd/plimsoll/internal/result"
	"github.com/plimsoll-go/plimsoll/sim"
)

// point is what a model answers.
func point(p Probe, goodput, p50 float64) Point {
	seconds := p.Length.Seconds() - warm
	lacks := (p.Rate - goodput) / p.Rate
	return Point{Rate: p.Rate, Seconds: seconds, Offered: p.Rate, Goodput: goodput, Late: lacks, P50: p50, P99: 4 * p50}
}

// queueing is M/M/c with callers who wait for a second: beyond its capacity all
// come too late. The wait is that of Erlang's C formula.
func queueing(servers int, each float64) func(Probe) (Point, error) {
	capacity := float64(servers) * each
	return func(p Probe) (Point, error) {
		load := p.Rate / each
		if p.Rate >= capacity {
			return point(p, 0, 1), nil
		}
		term, sum := 1.0, 0.0
		for k := range servers {
			sum += term
			term *= load / float64(k+1)
		}
		last := term / (1 - load/float64(servers))
		wait := last / (sum + last) / (capacity - p.Rate)
		return point(p, p.Rate, 1/each+wait), nil
	}
}

// gated refuses at once what it cannot serve.
func gated(capacity float64) func(Probe) (Point, error) {
	return func(p Probe) (Point, error) {
		out := point(p, math.Min(p.Rate, capacity), 0.005)
		out.Refused, out.Late = out.Late, 0
		back := 0.2
		if p.Back > 0 {
			out.Recovery = &back
		}
		return out, nil
	}
}

// collapsing answers nobody once it is overloaded, until so many steps in a row
// have asked for less than half of its capacity.
func collapsing(capacity float64, steps int) func(Probe) (Point, error) {
	down := 0
	return func(p Probe) (Point, error) {
		switch {
		case p.Rate > capacity:
			down = steps
		case p.Rate > capacity/2 && down > 0:
			down = steps
		case down > 0:
			down--
		}
		if down > 0 {
			return point(p, 0, 1), nil
		}
		out := point(p, p.Rate, 0.005)
		return out, nil
	}
}

func noisy(of func(Probe) (Point, error), every int) func(Probe) (Point, error) {
	r := rand.New(rand.NewPCG(1, 2))
	return func(p Probe) (Point, error) {
		out, err := of(p)
		if r.IntN(every) == 0 {
			out.Goodput /= 2
		}
		return out, err
	}
}

func weak(of func(Probe) (Point, error), most float64) func(Probe) (Point, error) {
	return func(p Probe) (Point, error) {
		out, err := of(p)
		if p.Rate > most {
			out.Invalid = []string{"requests were sent late"}
		}
		return out, err
	}
}

func within(v, low, high float64) bool { return v >= low && v <= high }

func TestSearches(t *testing.T) {
	for _, tt := range []struct {
		name             string
		c                Config
		of               func(Probe) (Point, error)
		kneeLow, kneeTop float64
		capacity         float64 // to 5 %; 0: the knee
		ended            End
		over             int
		ofCapacity       float64 // at 2x, to 5 %
	}{
		{"M/M/1", Config{}, queueing(1, 460), 430, 460, 0, Found, 2, 0},
		{"M/M/8", Config{}, queueing(8, 100), 760, 800, 0, Found, 2, 0},
		{"gated", Config{}, gated(460), 440, 485, 460, Found, 2, 1},
		{"gated, a tight tolerance", Config{Tolerance: 0.01, Resolution: 0.01, Within: time.Hour}, gated(460), 450, 465, 460, Found, 2, 1},
		{"collapsing, and back at once", Config{}, collapsing(460, 1), 430, 460, 0, Found, 2, 0},
		{"collapsing, and back after a while", Config{}, collapsing(460, 2), 430, 460, 0, Found, 2, 0},
		{"collapsing for good", Config{}, collapsing(460, 1e9), 320, 320, 0, Down, 0, 0},
		{"a busy machine", Config{}, noisy(gated(460), 8), 400, 485, 460, Found, 2, 1},
		{"a low first rate", Config{Start: 0.8}, gated(1.2), 1, 2.4, 0, Found, 2, 1},
		{"a first rate as low as it may be", Config{Start: 0.04, Step: 100 * time.Second, Within: time.Hour}, gated(0.06), 0.05, 0.12, 0, Found, 2, 1},
		{"a first rate that is too high", Config{Start: 2000}, gated(460), 440, 485, 460, Found, 2, 1},
		{"the generator is the bound", Config{}, weak(gated(1e6), 3000), 2560, 2560, 0, Generator, 0, 0},
		{"a highest rate", Config{Most: 300}, gated(460), 300, 300, 0, Highest, 0, 0},
		{"a highest rate that twice the knee exceeds", Config{Most: 1000}, gated(460), 440, 485, 460, Highest, 1, 1},
		{"nothing works", Config{}, func(p Probe) (Point, error) { return point(p, 0, 0), nil }, 0, 0, 0, Nothing, 0, 0},
		{"nothing works, in short steps", Config{Step: Least}, func(p Probe) (Point, error) { return point(p, 0, 0), nil }, 0, 0, 0, Nothing, 0, 0},
		{"little time", Config{Within: 80 * time.Second}, gated(460), 320, 320, 460, Time, 2, 1},
	} {
		t.Run(tt.name, func(t *testing.T) {
			asked, steps := time.Duration(0), 0
			most := tt.c.or(Defaults()).Most
			r, err := Find(tt.c, func(p Probe) (Point, error) {
				asked += p.Lasts()
				steps++
				if p.Rate > most || p.Rate <= 0 {
					t.Errorf("asks for %g/s", p.Rate)
				}
				if p.Rate*p.Length.Seconds() < 1.2 || p.Back > 0 && p.Back*p.Length.Seconds() < 1.2 {
					t.Errorf("asks for %g/s, then %g/s, for %s, in which hardly anybody is due", p.Rate, p.Back, p.Length)
				}
				return tt.of(p)
			})
			if err != nil {
				t.Fatal(err)
			}
			if !within(r.Knee, tt.kneeLow, tt.kneeTop) || r.Ended != tt.ended || len(r.Over) != tt.over || (r.Why == "") != (r.Ended == Found) {
				t.Errorf("knee %g, ended %q (%s), %d multiples", r.Knee, r.Ended, r.Why, len(r.Over))
			}
			if tt.capacity > 0 && !within(r.Capacity/tt.capacity, 0.95, 1.05) {
				t.Errorf("capacity %g, want %g", r.Capacity, tt.capacity)
			}
			if tt.over > 0 && tt.ofCapacity > 0 && tt.name != "a busy machine" && !within(r.Over[0].OfCapacity, tt.ofCapacity-0.05, tt.ofCapacity+0.05) {
				t.Errorf("%g of the capacity at twice the knee", r.Over[0].OfCapacity)
			}
			if c := tt.c.or(Defaults()); asked > c.Within {
				t.Errorf("%s of steps, more than %s", asked, c.Within)
			}
			if r.Beyond != nil && r.Ended == Found && *r.Beyond/r.Knee > 1.06 {
				t.Errorf("between %g and %g", r.Knee, *r.Beyond)
			}
			if steps != len(r.Steps) {
				t.Errorf("%d steps of %d", len(r.Steps), steps)
			}
		})
	}
}

// TestLatencyTurnsWhereTheorySays: of M/M/1 power is highest at half the capacity.
func TestLatencyTurnsWhereTheorySays(t *testing.T) {
	r, err := Find(Config{Start: 50, Resolution: 0.02, Within: time.Hour}, queueing(1, 400))
	if err != nil || r.Turn != 200 {
		t.Errorf("%g, %v", r.Turn, err)
	}
}

// TestAgainstTheSimulator: a simulated service of 460/s without a limiter and
// with the gate, callers who wait for half a second.
func TestAgainstTheSimulator(t *testing.T) {
	const capacity = 460
	for _, tt := range []struct {
		name       string
		gate       *sim.Gate
		low, top   float64 // of goodput at twice the knee
		refusesOne bool
	}{
		{"no gate", nil, 0, 0.35, false},
		{"the gate", &sim.Gate{}, 0.85, 1, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r, err := Find(Config{Start: 40}, func(p Probe) (Point, error) {
				report, err := sim.Run(sim.Scenario{
					Length:   p.Length,
					Stations: []sim.Station{{Workers: 8, Gate: tt.gate}},
					Sources: []sim.Source{{Arrivals: sim.Poisson{Rate: p.Rate}, Kinds: []sim.Kind{{
						Service: sim.Exponential(time.Second * 8 / capacity), Criticality: class.Critical, Client: sim.Client{Patience: 500 * time.Millisecond},
					}}}},
				}, uint64(p.Rate))
				if err != nil {
					return Point{}, err
				}
				return simulated(report, p), nil
			})
			if err != nil {
				t.Fatal(err)
			}
			if !within(r.Knee/capacity, 0.85, 1.08) || !within(r.Capacity/capacity, 0.9, 1.08) || r.Ended != Found {
				t.Errorf("knee %g, capacity %g, ended %q (%s)", r.Knee, r.Capacity, r.Ended, r.Why)
			}
			for _, o := range r.Over {
				if !within(o.OfCapacity, tt.low, tt.top) || tt.refusesOne != (o.Refused > 0) {
					t.Errorf("%g times: %g of the capacity, %g refused", o.Times, o.OfCapacity, o.Refused)
				}
			}
		})
	}
}

// simulated is a report as a run's result would have it.
func simulated(r *sim.Report, p Probe) Point {
	var out result.Result
	out.Step = 1
	for at := time.Duration(0); at < p.Length; at += time.Second {
		s := r.Sum(at, at+time.Second)
		out.All.Series = append(out.All.Series, result.Second{
			Offered: int64(s.Offered), Good: int64(s.Good), Late: int64(s.Late), Refused: int64(s.Refused), Answered: int64(s.Good),
		})
	}
	return PointOf(&out, p.Length.Seconds())
}

// TestAVoidStepIsNone: a step that says nothing of the service is not one of the
// two that were not followed.
func TestAVoidStepIsNone(t *testing.T) {
	probes := 0
	r, err := Find(Config{}, func(p Probe) (Point, error) {
		out, err := gated(460)(p)
		if p.Rate > 460 {
			if probes++; probes%2 == 1 {
				out.Invalid = []string{"requests were sent late"}
			}
		}
		return out, err
	})
	if err != nil || r.Ended != Generator || r.Knee != 320 || r.Beyond != nil {
		t.Errorf("every second void, the first too: knee %g, ended %q, %v", r.Knee, r.Ended, err)
	}
	seen := map[float64]int{}
	r, err = Find(Config{Within: time.Hour}, func(p Probe) (Point, error) {
		seen[p.Rate]++
		out, err := gated(460)(p)
		switch n := seen[p.Rate]; {
		case p.Back > 0 || p.Rate < 300:
		case n == 1:
			out.Invalid = []string{"requests were sent late"}
		case n == 2:
			out.Goodput /= 2 // a hiccup
		}
		return out, err
	})
	if err != nil || r.Ended != Found || !within(r.Knee, 440, 485) {
		t.Errorf("void, and then a hiccup: knee %g, ended %q, %v", r.Knee, r.Ended, err)
	}
	for _, s := range r.Steps {
		if n := seen[s.Rate]; s.Kind == Search && s.Rate > r.Knee && n != 3 {
			t.Errorf("%g/s was played %d times, want once void and twice not followed", s.Rate, n)
		}
	}
}

func TestAVoidMultipleHasNoShare(t *testing.T) {
	r, err := Find(Config{}, func(p Probe) (Point, error) {
		out, err := gated(460)(p)
		if p.Back > 0 && p.Rate < 1000 {
			out.Invalid, out.Goodput = []string{"requests were sent late"}, 600
		}
		return out, err
	})
	if err != nil || len(r.Over) != 2 || r.Over[0].OfCapacity != 0 || !within(r.Over[1].OfCapacity, 0.95, 1) {
		t.Errorf("%+v, %v", r.Over, err)
	}
}

func TestAnErrorEndsTheSearch(t *testing.T) {
	broken := errors.New("the wire is cut")
	n := 0
	r, err := Find(Config{}, func(p Probe) (Point, error) {
		if n++; n == 3 {
			return Point{}, broken
		}
		return gated(1000)(p)
	})
	if !errors.Is(err, broken) || r.Knee != 20 || len(r.Steps) != 2 {
		t.Errorf("%v, knee %g after %d steps", err, r.Knee, len(r.Steps))
	}
}

func TestFaultsOfASearch(t *testing.T) {
	err := Config{Start: 50, Most: 20, Step: time.Second, Within: time.Second, Tolerance: 1, Resolution: 2}.Validate()
	for _, want := range []string{"highest rate", "steps from 3s", "16 steps", "tolerance", "resolution"} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("no %q in %v", want, err)
		}
	}
	if err := (Config{Start: 0.5}).Validate(); err == nil || !strings.Contains(err.Error(), "4 requests are due within a step of 5s, which is 0.8/s, have 0.5/s") {
		t.Errorf("a step of two requests: %v", err)
	}
	if err := (Config{}).Validate(); err != nil {
		t.Error(err)
	}
	for _, c := range []Config{{Start: -1}, {Start: math.NaN()}, {Start: math.Inf(1)}, {Most: math.NaN()}, {Tolerance: math.NaN()}, {Resolution: math.NaN()}, {Step: -1}, {Within: -1}} {
		if c.Validate() == nil {
			t.Errorf("no fault of %+v", c)
		}
	}
}

func TestPoints(t *testing.T) {
	rows := func(n int, s result.Second) []result.Second {
		out := make([]result.Second, n)
		for i := range out {
			out[i] = s
		}
		return out
	}
	cold := result.Second{Offered: 100, Good: 10, Failed: 90, Answered: 10, P50: 900, P99: 999}
	for _, tt := range []struct {
		name string
		rows []result.Second
		over float64
		want Point
	}{
		{"follows", append([]result.Second{cold}, rows(4, result.Second{Offered: 100, Good: 99, Refused: 1, Answered: 99, P50: 5, P99: 20})...), 5,
			Point{Seconds: 4, Offered: 100, Goodput: 99, Refused: 0.01, P50: 0.005, P99: 0.02}},
		{"a queue that grows", append([]result.Second{cold}, rows(4, result.Second{Offered: 100, Good: 100, Answered: 80, P50: 5, P99: 20})...), 5,
			Point{Seconds: 4, Offered: 100, Goodput: 80, P50: 0.005, P99: 0.02}},
		{"late answers are none", append([]result.Second{cold}, rows(4, result.Second{Offered: 100, Good: 10, Late: 90, Answered: 12, P50: 500, P99: 500})...), 5,
			Point{Seconds: 4, Offered: 100, Goodput: 10, Late: 0.9, P50: 0.5, P99: 0.5}},
		{"what comes after does not count", append(rows(3, result.Second{Offered: 10, Good: 10, Answered: 10}), rows(3, result.Second{Offered: 5})...), 3,
			Point{Seconds: 2, Offered: 10, Goodput: 10}},
		{"two seconds count whole", rows(2, result.Second{Offered: 10, Good: 10, Answered: 10, Skipped: 5}), 5,
			Point{Seconds: 2, Offered: 10, Goodput: 10, Failed: 0.5}},
		{"nothing", nil, 5, Point{}},
	} {
		got := PointOf(&result.Result{Step: 1, All: result.Class{Series: tt.rows}}, tt.over)
		if got.P50 = math.Round(got.P50*1e6) / 1e6; got.Seconds != tt.want.Seconds || got.Offered != tt.want.Offered || got.Goodput != tt.want.Goodput ||
			got.Refused != tt.want.Refused || got.Late != tt.want.Late || got.Failed != tt.want.Failed {
			t.Errorf("%s:\nhave %+v\nwant %+v", tt.name, got, tt.want)
		}
	}
}
