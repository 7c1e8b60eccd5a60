package simulate

import (
	"encoding/csv"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/plimsoll-go/plimsoll/cmd/plimsoll/internal/section"
	"github.com/plimsoll-go/plimsoll/cmd/plimsoll/internal/strict"
)

// sweepOf reads a sweep and plays it.
func sweepOf(t *testing.T, c SweepCmd) *swept {
	t.Helper()
	c.Seed = 1
	s, err := c.read()
	if err != nil {
		t.Fatal(err)
	}
	if s.points, err = s.grid.Run(c.Seed, len(s.seeds), s.make, nil); err != nil {
		t.Fatal(err)
	}
	return s
}

// TestMetastableMap: a spike of three seconds leaves the ungated service down
// for good wherever three attempts of everybody are more than it can serve,
// and nowhere without retries or below a third of its capacity. The gate
// leaves no such place.
func TestMetastableMap(t *testing.T) {
	s := sweepOf(t, SweepCmd{Input: Input{File: "metastable"}, Over: []string{
		"gate=ungated,gated", "retries=none,at-once,backoff,budget", "spike=0,750,1500", "load=0.2,0.5,0.8",
	}})
	for i, p := range s.points {
		v := s.grid.Values(s.grid.At(i))
		gate, retries, spike, load := v[0].Text, v[1].Text, v[2].Number, v[3].Number
		storm := gate == "ungated" && (retries == "at-once" || retries == "backoff") && spike > 0 && load > 1./3
		switch {
		case storm && (!p.Stuck() || p.LastShare > 0.05 || p.Amplification() < 2):
			t.Errorf("%s: stuck %v, %.2f attempts per request; want it down for good", s.title(p), p.Stuck(), p.Amplification())
		case !storm && p.Down():
			t.Errorf("%s: down", s.title(p))
		}
	}
}

// TestBudgetAtTheEdge: beside full, even a budget of a tenth leaves a backlog
// that takes longer than the run to drain; it does drain.
func TestBudgetAtTheEdge(t *testing.T) {
	s := sweepOf(t, SweepCmd{Input: Input{File: "metastable"}, Over: []string{"of=ungated", "retries=budget", "spike=1500", "load=0.85"}})
	if p := s.points[0]; !p.Down() || p.Stuck() {
		t.Errorf("down %v, stuck %v; want it down and draining", p.Down(), p.Stuck())
	}
}

// TestRetryPolicies: after a hang of ten seconds, no way of trying again keeps
// the service down where there is a budget, whatever else its callers have; and
// without one, breaker and throttle, every way does where its attempts are more
// than can be served.
func TestRetryPolicies(t *testing.T) {
	s := sweepOf(t, SweepCmd{Input: Input{File: "retry-policies", Seeds: "1"}, Over: []string{
		"budget=no-budget,budget-10,budget-20", "breaker=no-breaker,breaker", "throttle=no-throttle,throttle",
		"backoff=at-once,exponential,jitter", "attempts=1,3,5", "load=0.4,0.8",
	}})
	for _, p := range s.points {
		v := s.grid.Values(s.grid.At(s.grid.Index(p.At)))
		budget, attempts, load := v[0].Text != "no-budget", v[4].Number, v[5].Number
		bare := !budget && v[1].Text == "no-breaker" && v[2].Text == "no-throttle"
		switch {
		case budget && p.Stuck():
			t.Errorf("%s: it stays down", s.title(p))
		case attempts == 1 && p.Down():
			t.Errorf("%s: it is down without a retry", s.title(p))
		case bare && attempts*load > 1 && !p.Stuck():
			t.Errorf("%s: it does not stay down", s.title(p))
		}
	}
}

func TestSweepFaults(t *testing.T) {
	for _, tt := range []struct {
		of   SweepCmd
		want string
	}{
		{SweepCmd{Input: Input{File: "no-such-file.yaml"}}, "no-such-file.yaml"},
		{SweepCmd{Input: Input{File: "overload"}}, "--over: want what varies, such as load=0.5:3:0.1"},
		{SweepCmd{Input: Input{File: "overload"}, Over: []string{"lod=1,2"}}, "--over: lod: want the name of a parameter"},
		{SweepCmd{Input: Input{File: "metastable"}, Over: []string{"retries=none,sometimes"}}, `have "sometimes"`},
		{SweepCmd{Input: Input{File: "metastable"}, Over: []string{"load=1", "load=2"}}, "want load once"},
		{SweepCmd{Input: Input{File: "metastable"}, Over: []string{"load=0:1:0.001", "spike=0:999:1"}}, "at most 1000 values"},
		{SweepCmd{Input: Input{File: "metastable"}, Over: []string{"load=0.1:0.9:0.001", "spike=0:999:1"}}, "at most 100000 places"},
		{SweepCmd{Input: Input{File: "metastable", Set: []string{"lod=1"}}}, "lod"},
		{SweepCmd{Input: Input{File: "metastable"}, SVG: "x.svg", Over: []string{"load=0.1,0.2"}}, "--svg: want two numbers that vary"},
		{SweepCmd{Input: Input{File: "metastable", Seeds: "0"}}, "--seeds: want a whole number"},
		{SweepCmd{Input: Input{File: "metastable"}, Doc: "no-such-page"}, "--doc: want a page with room for the result"},
		{SweepCmd{Input: Input{File: "metastable"}, Last: -1}, "--last: want a duration above 0"},
	} {
		err := tt.of.Check()
		if _, ok := strict.FaultsOf(err); !ok || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%+v: %v, want %q", tt.of, err, tt.want)
		}
	}
}

const small = `# What it shows.
name: a small one
length: 20s
parameters: {load: 1, patience: 1}
stations: {backend: {workers: 1}}
sources:
  callers: {arrivals: {constant: = load * 100}, service: 10ms, client: {patience: = 1s * patience}}
policies:
  bare: {}
  gate: {stations: {backend: {gate: {}}}}
sweep: [load=0.5:2:0.5]
`

func smallFile(t *testing.T) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "small.yaml")
	if err := os.WriteFile(file, []byte(small), 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

func TestSweepForms(t *testing.T) {
	s := sweepOf(t, SweepCmd{Input: Input{File: smallFile(t)}, Policy: "bare,gate", Over: []string{"load=0.5:2:0.5"}})
	var b strings.Builder
	if err := s.writeCSV(&b); err != nil {
		t.Fatal(err)
	}
	rows, err := csv.NewReader(strings.NewReader(b.String())).ReadAll()
	if err != nil || len(rows) != 9 || rows[0][0] != "policy" || rows[4][0] != "bare" || rows[4][1] != "2.0" || rows[4][len(rows[4])-2] != "false" || rows[8][len(rows[8])-2] != "true" {
		t.Errorf("CSV: %v, %v", rows, err)
	}
	b.Reset()
	if err := s.writeJSON(&b); err != nil {
		t.Fatal(err)
	}
	var got struct {
		Scenario string
		Places   []struct {
			At struct {
				Policy string
				Load   float64
			}
			Up, Stuck bool
			LastShare float64 `json:"last_share"`
		}
	}
	if err := json.Unmarshal([]byte(b.String()), &got); err != nil || got.Scenario != "a small one" || len(got.Places) != 8 {
		t.Fatalf("JSON: %v, %v", got, err)
	}
	if p := got.Places[3]; p.At.Policy != "bare" || p.At.Load != 2 || p.Up || !p.Stuck || p.LastShare > 0.01 {
		t.Errorf("JSON: bare at 2: %+v", p)
	}
	b.Reset()
	if err := s.writeText(&b); err != nil || !strings.Contains(b.String(), "amplification") || strings.Count(b.String(), "\n") != 10 {
		t.Errorf("text: %v\n%s", err, b.String())
	}
}

func TestSweepMapInLetters(t *testing.T) {
	s := sweepOf(t, SweepCmd{Input: Input{File: smallFile(t)}, Over: []string{"patience=0.5,1", "load=0.5:2:0.5"}})
	var b strings.Builder
	if err := s.writeText(&b); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"stays down at 4 of 8 places, from load 1.5 on", " 1 · · ████\n", " 0.5 · · ████\n"} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("no %q in\n%s", want, b.String())
		}
	}
}

func TestSweepFiles(t *testing.T) {
	dir := t.TempDir()
	html, svg := filepath.Join(dir, "a.html"), filepath.Join(dir, "a.svg")
	s := sweepOf(t, SweepCmd{Input: Input{File: smallFile(t)}, Over: []string{"patience=0.5,1", "load=0.5,2"}, HTML: html, SVG: svg})
	if err := s.write(); err != nil {
		t.Fatal(err)
	}
	page, _ := os.ReadFile(html)
	picture, _ := os.ReadFile(svg)
	if !strings.Contains(string(page), `class="region"`) || !strings.Contains(string(page), "4 places") || strings.Contains(string(page), "ZgotmplZ") {
		t.Error("the page lacks the region or the places")
	}
	if !strings.Contains(string(picture), `class="region" d="M`) || !strings.HasSuffix(string(picture), "</svg>\n") {
		t.Error("the picture lacks the region")
	}
	doc := filepath.Join(dir, "a.page")
	for _, tt := range []struct {
		over []string
		want string
	}{
		{[]string{"patience=0.5,1", "load=0.5,2"}, "| patience against load |\n|---|\n| stays down at 2 of 4 places, from load 2 on |\n"},
		{[]string{"load=0.5,2"}, "| load | good_share |"},
		{[]string{"gate=bare,gate", "patience=0.5,1", "load=0.5,2"}, "| gate: bare | gate: gate |\n|---|---|\n| stays down at 2 of 4 places, from load 2 on | up again everywhere |\n"},
		{[]string{"gate=bare,gate", "other=bare", "patience=0.5,1", "load=0.5,2"}, "| other | gate: bare | gate: gate |\n|---|---|---|\n| bare | stays down at 2 of 4 places, from load 2 on | up again everywhere |\n\n8 places, one run each"},
	} {
		if err := os.WriteFile(doc, []byte("a\n"+section.Begin(sweepMark)+section.End(sweepMark)), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := sweepOf(t, SweepCmd{Input: Input{File: smallFile(t)}, Over: tt.over, Doc: doc}).write(); err != nil {
			t.Fatal(err)
		}
		if text, _ := os.ReadFile(doc); !strings.HasPrefix(string(text), "a\n") || !strings.Contains(string(text), tt.want) {
			t.Errorf("%v: %s\nwant %s", tt.over, text, tt.want)
		}
	}
	// One number varies: curves.
	if err := sweepOf(t, SweepCmd{Input: Input{File: smallFile(t)}, HTML: html}).write(); err != nil {
		t.Fatal(err)
	}
	page, _ = os.ReadFile(html)
	if !strings.Contains(string(page), `class="goodput" points=`) {
		t.Error("the page lacks the curve")
	}
}
