package sweep

import (
	"errors"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/plimsoll-go/plimsoll/sim"
)

func TestParseAxis(t *testing.T) {
	for _, tt := range []struct {
		text, want string
		numbers    bool
	}{
		{"load=0.5:3:0.5", "0.5 1.0 1.5 2.0 2.5 3.0", true},
		{"load=0.1:0.3:0.1", "0.1 0.2 0.3", true},
		{"spike=0:250:100", "0 100 200", true},
		{"n=1:1:1", "1", true},
		{"n=1e2:3e2:1e2", "100 200 300", true},
		{"load=0.5,2", "0.5 2", true},
		{"retries=none, at-once", "none at-once", false},
		{"gate=inf", "inf", false},
	} {
		a, err := ParseAxis(tt.text)
		if err != nil {
			t.Errorf("%s: %v", tt.text, err)
			continue
		}
		if got := strings.Join(a.Texts(), " "); got != tt.want || a.Numbers() != tt.numbers {
			t.Errorf("%s: %s, numbers %v; want %s, %v", tt.text, got, a.Numbers(), tt.want, tt.numbers)
		}
	}
	a, _ := ParseAxis("load=0.1:0.3:0.1")
	if got := a.Values[2].Number; got != 0.3 {
		t.Errorf("the third value is %v, want 0.3 exactly", got)
	}
}

func TestParseAxisFaults(t *testing.T) {
	for text, want := range map[string]string{
		"":              "name=from:to:step",
		"load":          "name=from:to:step",
		"load=":         "name=from:to:step",
		"=1:2:1":        "name=from:to:step",
		"load=1:2":      "from:to:step",
		"load=1:2:0":    "a step above 0",
		"load=2:1:1":    "to not below from",
		"load=1:2:x":    `want a number, have "x"`,
		"load=0:NaN:1":  "want a number",
		"load=0:1:1e-9": "at most 1000 values",
		"load=1,a":      "all numbers or all names",
		"load=1,1":      "values that differ",
		"load=1,,2":     "values that differ",
	} {
		if _, err := ParseAxis(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", text, err, want)
		}
	}
}

func FuzzParseAxis(f *testing.F) {
	f.Add("load=0.5:3:0.1")
	f.Add("retries=none,at-once")
	f.Add("x=-1e300:1e300:1e299")
	f.Fuzz(func(t *testing.T, text string) {
		a, err := ParseAxis(text)
		if err == nil && (len(a.Values) == 0 || len(a.Values) > mostValues || a.Name == "") {
			t.Errorf("%q: %d values", text, len(a.Values))
		}
	})
}

func axis(t *testing.T, text string) Axis {
	t.Helper()
	a, err := ParseAxis(text)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

func TestGridOrder(t *testing.T) {
	g := Grid{axis(t, "a=x,y"), axis(t, "b=1,2,3")}
	if g.Size() != 6 {
		t.Fatalf("%d places", g.Size())
	}
	for i := range g.Size() {
		if got := g.Index(g.At(i)); got != i {
			t.Errorf("place %d is found at %d", i, got)
		}
	}
	if at := g.At(4); !slices.Equal(at, []int{1, 1}) || g.Values(at)[1].Number != 2 || g.Values(at)[0].Text != "y" {
		t.Errorf("place 4 is %v", at)
	}
}

// station offers so many requests a second to a capacity of 100, half a minute
// long, with callers who wait a second.
func station(rate float64) Setting {
	return Setting{Capacity: 100, Last: 5 * time.Second, Scenario: sim.Scenario{
		Length: 30 * time.Second, Grace: -1, Stations: []sim.Station{{Workers: 1}},
		Sources: []sim.Source{{Name: "s", Arrivals: sim.Constant{Rate: rate}, Kinds: []sim.Kind{{
			Service: sim.Deterministic(10 * time.Millisecond), Client: sim.Client{Patience: time.Second},
		}}}},
	}}
}

func TestPoints(t *testing.T) {
	g := Grid{axis(t, "load=0,50,100,150")}
	var heard []int
	points, err := g.Run(1, 3, func(at []Value) (Setting, error) {
		s := station(max(at[0].Number, 1))
		if at[0].Number == 0 {
			s.Scenario.Sources[0].Arrivals = sim.Batch{}
		}
		return s, nil
	}, func(done, of int) { heard = append(heard, done, of) })
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []struct {
		up, lost    int
		down, stuck bool
		share       float64
	}{
		{3, 0, false, false, 1},
		{3, 0, false, false, 1},
		{3, 0, false, false, 1},
		{0, 3, true, true, 0}, // everybody has left by the time of their turn
	} {
		p := points[i]
		if p.Up != want.up || p.Lost != want.lost || p.Down() != want.down || p.Stuck() != want.stuck || math.Abs(p.LastShare-want.share) > 0.01 || p.Runs != 3 {
			t.Errorf("at %v: %+v, want %+v", g.Values(p.At), p, want)
		}
	}
	if p := points[1]; math.Abs(p.LastOffered-50) > 1 || p.Amplification() != 1 || p.GoodShare() < 0.999 {
		t.Errorf("at 50 a second: %+v", p)
	}
	if !slices.Equal(heard, []int{1, 4, 2, 4, 3, 4, 4, 4}) {
		t.Errorf("progress was %v", heard)
	}
}

// TestDraining: what is down only until its backlog is gone is not stuck.
func TestDraining(t *testing.T) {
	points, err := Grid{axis(t, "load=90")}.Run(1, 1, func([]Value) (Setting, error) {
		s := station(90)
		batch := s.Scenario.Sources[0]
		batch.Name, batch.Arrivals = "batch", sim.Batch{N: 1000}
		s.Scenario.Sources = append(s.Scenario.Sources, batch)
		return s, nil
	}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if p := points[0]; !p.Down() || p.Stuck() {
		t.Errorf("down %v, stuck %v; want it down and draining: %+v", p.Down(), p.Stuck(), p)
	}
}

func TestRunStopsAtAFault(t *testing.T) {
	g := Grid{axis(t, "load=1:500:1")}
	made := make(chan int, 1000)
	_, err := g.Run(1, 1, func(at []Value) (Setting, error) {
		made <- 1
		return Setting{}, errors.New("no such place")
	}, nil)
	if err == nil || !strings.Contains(err.Error(), "no such place") || len(made) > 100 {
		t.Errorf("%v after %d places", err, len(made))
	}
}
