package survey

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/alecthomas/kong"

	"github.com/plimsoll-go/plimsoll/class"
	"github.com/plimsoll-go/plimsoll/cmd/plimsoll/internal/simulate"
	"github.com/plimsoll-go/plimsoll/internal/golden"
	"github.com/plimsoll-go/plimsoll/sim"
	"github.com/plimsoll-go/plimsoll/sim/trace"
)

// recorded is a trace of a hundred seconds: in the fifty from the twentieth on,
// eight are served at once and as many again are refused.
func recorded() []sim.Record {
	rng := rand.New(rand.NewPCG(1, 2))
	var all []sim.Record
	for i := range 100 {
		busy := i >= 20 && i < 70
		for j := range 80 {
			at := time.Duration(i)*time.Second + time.Duration(j)*time.Second/80
			served := sim.Record{At: at, Kind: "shop", Criticality: class.Critical, Deadline: time.Second, Tenant: fmt.Sprint(rng.IntN(20))}
			if served.Service = 100 * time.Millisecond; !busy {
				served.Service = 20 * time.Millisecond
			}
			all = append(all, served)
			if busy {
				all = append(all, sim.Record{At: at, Kind: "/search, all", Criticality: class.Sheddable})
			}
		}
	}
	return all
}

func TestOf(t *testing.T) {
	s := Of(recorded())
	if s.Requests != 12_000 || s.Served != 8000 || s.Peak != 160 || s.Tenants != 20 || s.Unsaid != 0 || len(s.Kinds) != 2 {
		t.Errorf("have %+v", s)
	}
	if s.Rate < 80 || s.Rate > 83 {
		t.Errorf("%v a second", s.Rate)
	}
	// The calm seconds are those of 20 ms only, in which the other kind has no time.
	if k := s.Kinds[0]; k.Requests != 8000 || k.NoDeadline != 0 || len(k.Times) != 25*80 || k.quantile(1) != 20*time.Millisecond {
		t.Errorf("have %d of %s, %d times", k.Requests, k.Name, len(k.Times))
	}
	if k := s.Kinds[1]; k.Requests != 4000 || k.NoDeadline != 4000 || k.Times != nil {
		t.Errorf("have %+v", k)
	}
}

// What a service of some workers has answered, at half of its rate, at twice of
// it, and again at half, makes a scenario with as many workers.
func TestWorkersAreFound(t *testing.T) {
	for _, workers := range []int{1, 2, 8, 40} {
		rng := rand.New(rand.NewPCG(5, uint64(workers)))
		const service = 20 * time.Millisecond
		capacity := float64(workers) / service.Seconds()
		free := make([]time.Duration, workers)
		var all []sim.Record
		for at := time.Duration(0); at < 30*time.Second; {
			load := 0.5
			if at > 10*time.Second && at < 20*time.Second {
				load = 2
			}
			at += time.Duration(rng.ExpFloat64() / (load * capacity) * float64(time.Second))
			first := 0
			for i := range free {
				if free[i] < free[first] {
					first = i
				}
			}
			r := sim.Record{At: at, Kind: "all", Criticality: class.Critical, Deadline: time.Second}
			if start := max(at, free[first]); start-at < 100*time.Millisecond { // else it is refused
				free[first] = start + service
				r.Service = free[first] - at
			}
			all = append(all, r)
		}
		s := Of(all)
		if n := float64(s.workers()); n < 0.8*float64(workers) || n > 1.25*float64(workers)+1 {
			t.Errorf("%v workers of %d, at %v/s", n, workers, s.Rate)
		}
	}
}

// The scenario is one that the simulator plays, and its service is as fast as the
// recorded one was.
func TestScenarioPlays(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	var text bytes.Buffer
	if err := trace.WriteCSV(&text, recorded()); err != nil {
		t.Fatal(err)
	}
	write(t, "trace.csv", text.String())
	scenario := run(t, &Cmd{File: "trace.csv"})
	golden.File(t, filepath.Join(home, "testdata", "scenario.yaml"), scenario)
	write(t, "incident.yaml", scenario)
	f, err := simulate.Find("incident.yaml")
	if err != nil {
		t.Fatal(err)
	}
	plan, err := f.Build("default", nil)
	if err != nil {
		t.Fatal(err)
	}
	report, err := sim.Run(plan.Scenario, 1)
	if err != nil {
		t.Fatal(err)
	}
	if n := report.Total.Offered; n != 12_000 {
		t.Errorf("%d requests", n)
	}
}

// home is where the tests begin.
var home, _ = os.Getwd()

func write(t testing.TB, name, text string) {
	t.Helper()
	if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// run runs the command and returns what it prints.
func run(t testing.TB, c *Cmd) string {
	t.Helper()
	var out bytes.Buffer
	if err := c.Run(&kong.Kong{Stdout: &out}); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

// Names as a recorder may have them, and records that say next to nothing, make
// scenarios that can be read.
func TestScenariosCanBeRead(t *testing.T) {
	t.Chdir(t.TempDir())
	for i, records := range [][]sim.Record{
		{{Service: time.Nanosecond}},
		{{At: time.Hour, Service: time.Millisecond}, {At: 2 * time.Hour}},
		{{Kind: "a: b # c", Service: time.Second}, {Kind: "é\u2028\"'", Service: 1234567 * time.Microsecond}, {Kind: "= x"}, {Kind: "null"}, {Kind: "-"}, {Kind: "*a"}, {Kind: "1"}},
		{{Service: time.Second}, {Kind: "unnamed", Service: time.Second}, {Kind: "unnamed-2", Service: time.Second}},
		{{Criticality: class.CriticalPlus, Level: 127, Tenant: "t", Cost: 7, Deadline: 1, Service: 1}},
	} {
		name := fmt.Sprintf("trace-%d.ndjson", i)
		var text bytes.Buffer
		if err := trace.WriteNDJSON(&text, records); err != nil {
			t.Fatal(err)
		}
		write(t, name, text.String())
		write(t, "s.yaml", run(t, &Cmd{File: name}))
		f, err := simulate.Find("s.yaml")
		if err != nil {
			t.Errorf("%d: %v\n%s", i, err, run(t, &Cmd{File: name}))
			continue
		}
		for _, policy := range f.Policies {
			if _, err := f.Build(policy, nil); err != nil {
				t.Errorf("%d: %v\n%s", i, err, run(t, &Cmd{File: name}))
			}
		}
	}
}

// A kind of which no time is known takes as long as all others together, in
// whatever order these stand.
func TestTimesOfTheOthers(t *testing.T) {
	var records []sim.Record
	for i := range 30 {
		records = append(records, sim.Record{Kind: "slow", Service: time.Second}, sim.Record{Kind: "fast", Service: time.Duration(1+i) * time.Millisecond})
	}
	s := Of(append(records, sim.Record{Kind: "refused"}))
	const want = "{empirical: [2ms, 5ms, 8ms, 11ms, 14ms, 17ms, 20ms, 23ms, 26ms, 29ms, 1s, 1s, 1s, 1s, 1s, 1s, 1s, 1s, 1s, 1s]}"
	if got := s.service(&s.Kinds[2], 0); got != want {
		t.Errorf("have %s\nwant %s", got, want)
	}
}

func TestFaults(t *testing.T) {
	t.Chdir(t.TempDir())
	write(t, "untimed.csv", "time\n0\n")
	write(t, "empty.csv", "time\n")
	write(t, "broken.csv", "time,class\n0,CRITICAL\nx,IMPORTANT\n")
	for _, c := range []struct {
		cmd  Cmd
		want string
	}{
		{Cmd{File: "none.csv"}, "none.csv: want a file that can be read: no such file or directory"},
		{Cmd{File: "untimed.csv"}, "--service: want how long serving a request takes, such as 20ms: no record says it"},
		{Cmd{File: "empty.csv"}, "empty.csv: want a trace with records in it"},
		{Cmd{File: "broken.csv", Service: "5"}, "broken.csv:3: time: want a time of 0 or more as seconds or with a unit, such as 1.5 or 1500ms, have \"x\"\n" +
			"broken.csv:3: class: want CRITICAL_PLUS, CRITICAL, SHEDDABLE_PLUS or SHEDDABLE, have \"IMPORTANT\"\n" +
			"--service: want a duration that is not negative; it needs a unit right behind the number, such as 500ms, 2s or 1h30m, have 5"},
	} {
		if err := c.cmd.Check(); err == nil || err.Error() != c.want {
			t.Errorf("%+v: %v\nwant %s", c.cmd, err, c.want)
		}
	}
	c := Cmd{File: "untimed.csv", Service: "20ms"}
	if err := c.Check(); err != nil {
		t.Error(err)
	}
	if text := run(t, &c); !strings.Contains(text, "unnamed:\n        service: 20ms\n") {
		t.Error(text)
	}
}
