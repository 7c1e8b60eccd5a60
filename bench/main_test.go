package main

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/plimsoll-go/plimsoll/bench/internal/meter"
	"github.com/plimsoll-go/plimsoll/bench/internal/relay"
	"github.com/plimsoll-go/plimsoll/bench/internal/report"
)

// TestMain lets the test's binary be the clients and the other parts, as the
// program is.
func TestMain(m *testing.M) {
	part, err := aPart(os.Args[1:])
	switch {
	case err != nil:
		panic(err)
	case part:
		return
	case len(os.Args) == 2 && os.Args[1] == clientCommand:
		main()
		return
	}
	os.Exit(m.Run())
}

// TestRunMeasuresEverything is a run too short to say anything but that every
// figure is there.
func TestRunMeasuresEverything(t *testing.T) {
	r, err := plan{rounds: 1, sample: time.Millisecond, pairs: 1}.run()
	if err != nil {
		t.Fatal(err)
	}
	if len(r.Groups) != 3 || len(r.HTTP) == 0 {
		t.Fatalf("%d groups, %d handlers", len(r.Groups), len(r.HTTP))
	}
	for _, g := range r.Groups {
		for _, row := range g.Rows {
			for _, c := range []report.Cost{row.Alone, row.Crowd} {
				if c.NS <= 0 || c.XPeer <= 0 || c.XFloor <= 0 {
					t.Errorf("%s, %s: %+v", g.Title, row.Name, c)
				}
			}
		}
	}
	for _, w := range r.HTTP {
		if w.Loopback.Throughput <= 0 || w.Memory.Throughput <= 0 || w.Memory.Allocs < 1 {
			t.Errorf("%s: %+v", w.Name, w)
		}
	}
	if len(r.Calls) == 0 {
		t.Error("no gRPC")
	}
	for _, c := range r.Calls {
		if c.Throughput <= 0 || c.Wall <= 0 || c.Allocs < 1 {
			t.Errorf("%s: %+v", c.Name, c)
		}
	}
	for _, w := range r.Relays {
		if w.CPUTimes <= 0 || w.Throughput <= 0 {
			t.Errorf("%s: %+v", w.Name, w)
		}
	}
	if relay.Possible() != nil {
		return
	}
	if len(r.Targets) != len(targets()) {
		t.Errorf("%d of %d targets judged: names have come apart", len(r.Targets), len(targets()))
	}
}

func TestCheckReportsEveryFault(t *testing.T) {
	if err := defaults.check(nil); err != nil {
		t.Errorf("the defaults: %v", err)
	}
	err := plan{only: "everything"}.check([]string{"x"})
	for _, want := range []string{"flags only", "--rounds", "--pairs", "--sample", "--only"} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q is not in %v", want, err)
		}
	}
}

func TestInterleaveGivesEverybodyATurnInEveryRound(t *testing.T) {
	const rounds = 5
	var order []string
	var a, b []meter.Sample
	turns := []turn{
		{name: "a", into: &a},
		{name: "b", into: &b},
	}
	for i := range turns {
		name := turns[i].name
		turns[i].batch = func(ops int, run func(int, func())) error {
			run(ops, func() {
				order = append(order, name)
				for at := time.Now(); time.Since(at) < 2*time.Millisecond; {
				}
			})
			return nil
		}
	}
	if err := interleave(rounds, time.Millisecond, turns); err != nil {
		t.Fatal(err)
	}
	if len(a) != rounds || len(b) != rounds {
		t.Fatalf("%d and %d samples", len(a), len(b))
	}
	order = order[len(order)-2*rounds:]
	for i := 0; i < len(order); i += 2 {
		if order[i] == order[i+1] {
			t.Errorf("round %d: %s twice, order %v", i/2, order[i], order)
		}
	}
}

func TestPairsAreTakenSideBySide(t *testing.T) {
	var order []string
	batch := func(name string) func(int, func(int, func())) error {
		return func(ops int, run func(int, func())) error {
			run(ops, func() { order = append(order, name) })
			return nil
		}
	}
	var own, bare []meter.Sample
	pair := turn{name: "own", ops: 1, batch: batch("own"), into: &own, pair: &turn{name: "bare", ops: 1, batch: batch("bare"), into: &bare}}
	for range 3 {
		if err := pair.take(); err != nil {
			t.Fatal(err)
		}
	}
	if got := strings.Join(order, " "); got != "bare own own bare bare own" {
		t.Errorf("order: %s", got)
	}
	if len(own) != 3 || len(bare) != 3 {
		t.Errorf("%d and %d samples", len(own), len(bare))
	}
}

func TestInterleaveStopsAtAFault(t *testing.T) {
	fault := errors.New("refused")
	var s []meter.Sample
	turns := []turn{{name: "a", into: &s, batch: func(ops int, run func(int, func())) error {
		run(ops, func() {})
		return fault
	}}}
	if err := interleave(1, time.Millisecond, turns); !errors.Is(err, fault) || !strings.Contains(err.Error(), "a: ") {
		t.Errorf("got %v", err)
	}
}

func TestReadmeIsReplacedBetweenItsMarks(t *testing.T) {
	file := filepath.Join(t.TempDir(), "page")
	text := "before\n" + report.Begin + "\nold\n" + report.End + "\nafter\n"
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := show(&report.Report{Go: "go1.26"}, false, true, file); err != nil {
		t.Fatal(err)
	}
	got, _ := os.ReadFile(file)
	if s := string(got); strings.Contains(s, "old") || !strings.HasPrefix(s, "before\n") || !strings.HasSuffix(s, "\nafter\n") || !strings.Contains(s, "go1.26") {
		t.Errorf("%s", s)
	}
	if _, err := replaced(file+".none", ""); err == nil {
		t.Error("no error for a file that is not there")
	}
}
