package compare

import (
	"encoding/json"
	"math"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/plimsoll-go/plimsoll/cmd/plimsoll/internal/openloop"
	"github.com/plimsoll-go/plimsoll/cmd/plimsoll/internal/result"
	"github.com/plimsoll-go/plimsoll/cmd/plimsoll/internal/tally"
	"github.com/plimsoll-go/plimsoll/internal/golden"
)

// service is one server with a queue, to which requests come at random: what
// comes after a long wait waits long too.
type service struct {
	seed    uint64
	length  time.Duration
	rate    float64       // per second
	mean    time.Duration // of what a request takes
	peak    float64       // how many times the rate in the middle third; 0: 1
	refused float64       // share of the second class
}

func (s service) run() *result.Result {
	const deadline = 200 * time.Millisecond
	rng := rand.New(rand.NewPCG(s.seed, 3))
	t := tally.New([]tally.Class{{Name: "checkout"}, {Name: "batch"}}, s.length)
	free := time.Duration(0)
	for due := time.Duration(0); ; {
		rate := s.rate
		if s.peak > 0 && due > s.length/3 && due < 2*s.length/3 {
			rate *= s.peak
		}
		due += time.Duration(rng.ExpFloat64() / rate * float64(time.Second))
		if due >= s.length {
			break
		}
		r := tally.Request{Class: rng.IntN(2), Due: due, Sent: due, Last: due, Outcome: openloop.Good}
		t.Offered(r.Class, due)
		if r.Class == 1 && rng.Float64() < s.refused {
			r.Done, r.Outcome, r.Reason = due+time.Millisecond, openloop.Refused, "busy"
		} else {
			free = max(free, due) + time.Duration(rng.ExpFloat64()*float64(s.mean))
			r.Done = free
			if r.Done-due > deadline {
				r.Done, r.Outcome = due+deadline, openloop.Late
			}
		}
		t.Attempt(r.Class, r.Done, r.Outcome, r.Reason)
		t.End(r)
	}
	r := t.Result(result.Result{Target: "http://127.0.0.1:8080", Schedule: "some", Seed: s.seed, Length: s.length.Seconds(), Ran: s.length.Seconds()})
	return &r
}

func verdicts(c *Comparison) map[string]Verdict {
	out := map[string]Verdict{}
	for _, r := range c.Rows {
		out[r.Class+" "+r.Figure] = r.Verdict
	}
	return out
}

// Two runs of the same thing are told apart in few of a hundred comparisons,
// whatever there is between one request and the next.
func TestTheSameIsNotToldApart(t *testing.T) {
	n := 6
	if testing.Short() {
		n = 2
	}
	for _, s := range []service{
		{length: 30 * time.Second, rate: 100, mean: 5 * time.Millisecond},
		{length: 60 * time.Second, rate: 100, mean: 8 * time.Millisecond, refused: 0.02},
		{length: 30 * time.Second, rate: 80, mean: 8 * time.Millisecond, peak: 2},
	} {
		told := 0
		for i := range n {
			a, b := s, s
			a.seed, b.seed = uint64(2*i+1), uint64(2*i+2)
			c := Of("a.json", a.run(), "b.json", b.run())
			for row, v := range verdicts(c) {
				if v != Same {
					told++
					t.Logf("%+v: %s is %s", a, row, v)
					break
				}
			}
		}
		// More than 2 of 6, where 5 % are wanted, come by chance twice in a thousand times.
		if told > 2 {
			t.Errorf("%+v: told apart in %d of %d comparisons", s, told, n)
		}
	}
}

func TestADifferenceIsTold(t *testing.T) {
	before := service{seed: 1, length: time.Minute, rate: 200, mean: 3 * time.Millisecond, refused: 0.01}
	slower, refusing, both := before, before, before
	slower.mean, slower.seed = 4*time.Millisecond, 2
	refusing.refused, refusing.seed = 0.2, 3
	both.mean, both.seed = 6*time.Millisecond, 4
	for _, tt := range []struct {
		name string
		b    service
		want map[string]Verdict
	}{
		{"slower by a third", slower, map[string]Verdict{"all latency p50": Worse, "checkout latency p50": Worse, "batch latency p90": Worse, "batch refused": Same}},
		{"a fifth of one class refused", refusing, map[string]Verdict{"batch refused": Worse, "batch goodput": Worse, "checkout goodput": Same, "all goodput": Worse}},
		{"overloaded", both, map[string]Verdict{"all goodput": Worse, "all late": Worse, "checkout goodput": Worse, "all latency p99": Worse, "batch attempts per request": ""}},
	} {
		c := Of("a.json", before.run(), "b.json", tt.b.run())
		got := verdicts(c)
		for row, want := range tt.want {
			if got[row] != want {
				t.Errorf("%s: %s is %q, want %q", tt.name, row, got[row], want)
			}
		}
		back := verdicts(Of("b.json", tt.b.run(), "a.json", before.run()))
		for row, v := range got {
			if v == Worse && back[row] != Better || v == Same && back[row] != Same {
				t.Errorf("%s: %s is %s, and the other way round %s", tt.name, row, v, back[row])
			}
		}
		if !c.Worse() {
			t.Errorf("%s: nothing is worse", tt.name)
		}
	}
}

// A peak is in both runs: part by part it is no noise.
func TestPairsSeePastASchedule(t *testing.T) {
	a := service{seed: 1, length: time.Minute, rate: 60, mean: 5 * time.Millisecond, peak: 6}
	b := a
	b.seed, b.refused = 2, 0.1
	ra, rb := a.run(), b.run()
	paired := Of("a.json", ra, "b.json", rb)
	rb.Schedule = "another"
	apart := Of("a.json", ra, "b.json", rb)
	for i, r := range paired.Rows {
		if other := apart.Rows[i]; r.Figure == "late" && *r.Within > *other.Within/2 {
			t.Errorf("%s %s: ±%g in pairs, ±%g apart", r.Class, r.Figure, *r.Within, *other.Within)
		}
	}
	if !paired.Paired || apart.Paired || len(apart.Notes) == 0 {
		t.Errorf("paired %v and %v, notes %q", paired.Paired, apart.Paired, apart.Notes)
	}
}

func TestWhatCannotBeTold(t *testing.T) {
	s := service{seed: 1, length: 3 * time.Second, rate: 100, mean: 5 * time.Millisecond}
	short := s.run()
	s.length = 20 * time.Second
	a, b := s.run(), s.run()
	long := s
	long.length = 4 * time.Minute
	stopped := long.run() // of a plan of many minutes, whose parts are longer
	stopped.Part, stopped.All.Parts = 60, stopped.All.Parts[:4]
	b.Invalid = []string{"slip"}
	fewer := s.run()
	fewer.Classes = fewer.Classes[:1]
	faster := s
	faster.rate = 150
	for _, tt := range []struct {
		name string
		b    *result.Result
		want Verdict
		note string
	}{
		{"too short", short, Untold, "b.json ran for less than 5 s: it is too short to say how sure its figures are"},
		{"stopped early", stopped, Untold, "b.json ran for less than 300 s: it is too short to say how sure its figures are"},
		{"invalid", b, Untold, "b.json is invalid, so nothing follows from it: slip"},
		{"without a class", fewer, Same, "b.json has no class batch"},
		{"another load", faster.run(), "", "100/s were offered in A and 151/s in B: shares and times are of other loads"},
	} {
		c := Of("a.json", a, "b.json", tt.b)
		if !strings.Contains(strings.Join(c.Notes, "\n"), tt.note) {
			t.Errorf("%s: notes %q", tt.name, c.Notes)
		}
		for row, v := range verdicts(c) {
			if tt.want != "" && v != tt.want {
				t.Errorf("%s: %s is %q", tt.name, row, v)
			}
		}
	}
	nothing := tally.New([]tally.Class{{Name: "a"}}, time.Minute).Result(result.Result{Length: 60})
	if c := Of("a.json", &nothing, "b.json", &nothing); len(c.Rows) != 0 || c.Worse() {
		t.Errorf("%+v", c.Rows)
	}
}

func TestStudent(t *testing.T) {
	for _, v := range []struct {
		p       float64
		degrees int
		want    float64
	}{
		{0.975, 4, 2.776}, {0.975, 9, 2.262}, {0.975, 29, 2.045}, {0.995, 4, 4.604}, {0.9995, 29, 3.659}, {0.999, 4, 7.173}, {0.9995, 9, 4.781},
	} {
		if got := student(v.p, v.degrees); math.Abs(got-v.want) > 0.02*v.want {
			t.Errorf("%g with %d: %g, want %g", v.p, v.degrees, got, v.want)
		}
	}
}

func TestText(t *testing.T) {
	before := service{seed: 1, length: time.Minute, rate: 200, mean: 3 * time.Millisecond, refused: 0.01}
	after := before
	after.seed, after.mean, after.refused = 2, 4*time.Millisecond, 0
	a, b := before.run(), after.run()
	c := Of("before.json", a, "after.json", b)
	compareWith(t, "pair.txt", c)
	peak, after4 := 20.0, 4.0
	a.PeakEnd, b.PeakEnd, a.All.Recovery = &peak, &peak, &after4
	b.Schedule, b.Invalid = "another", []string{"3 requests were not sent"}
	compareWith(t, "unequal.txt", Of("before.json", a, "after.json", b))

	var text strings.Builder
	if err := c.JSON(&text); err != nil {
		t.Fatal(err)
	}
	var got Comparison
	if err := json.Unmarshal([]byte(text.String()), &got); err != nil || got.Version != Version || len(got.Rows) != len(c.Rows) || got.Rows[0].Verdict != c.Rows[0].Verdict {
		t.Errorf("%v: %s", err, text.String())
	}
}

func compareWith(t *testing.T, name string, c *Comparison) {
	t.Helper()
	var b strings.Builder
	if err := c.Text(&b); err != nil {
		t.Fatal(err)
	}
	golden.File(t, "testdata/"+name, b.String())
}

// Whatever a file may hold that reads as a result can be compared.
func FuzzOf(f *testing.F) {
	s := service{seed: 1, length: 6 * time.Second, rate: 5, mean: 5 * time.Millisecond}
	var text strings.Builder
	if err := result.Write(&text, s.run()); err != nil {
		f.Fatal(err)
	}
	f.Add(text.String(), 1.0, 1.0, 6.0)
	f.Add(text.String(), 1e-300, 1e300, 1e300)
	f.Add(text.String(), 1e300, 1e-300, 1e300)
	f.Fuzz(func(t *testing.T, text string, step, part, ran float64) {
		a, err := result.Read("a.json", []byte(text))
		if err != nil {
			return
		}
		b := *a
		if step > 0 && part > 0 && ran > 0 {
			b.Step, b.Part, b.Ran = step, part, ran
		}
		var out strings.Builder
		for _, c := range []*Comparison{Of("a.json", a, "b.json", &b), Of("b.json", &b, "a.json", a)} {
			if err := c.Text(&out); err != nil {
				t.Fatal(err)
			}
			if err := c.JSON(&out); err != nil {
				t.Fatal(err)
			}
		}
	})
}
