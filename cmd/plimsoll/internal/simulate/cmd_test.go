package simulate

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/alecthomas/kong"

	"github.com/plimsoll-go/plimsoll/internal/golden"
)

// simulate runs a command line, without its first words.
func simulate(t *testing.T, args ...string) (string, error) {
	t.Helper()
	var table struct {
		Run     RunCmd     `cmd:""`
		Compare CompareCmd `cmd:""`
		List    ListCmd    `cmd:""`
	}
	var out bytes.Buffer
	parser, err := kong.New(&table, kong.Name("plimsoll"), kong.Writers(&out, &out), kong.WithHyphenPrefixedParameters(true))
	if err != nil {
		t.Fatal(err)
	}
	ctx, err := parser.Parse(args)
	if err != nil {
		t.Fatalf("%q: %v", args, err)
	}
	err = ctx.Run()
	return out.String(), err
}

// short is a small overload with something expected of it.
const short = `name: a small overload
length: 10s
parameters: {load: 2}
stations: {backend: {workers: 1}}
sources:
  callers:
    arrivals: {poisson: = load * 100}
    kinds:
      pay: {weight: 1, criticality: CRITICAL_PLUS, service: 10ms, client: &c {patience: 500ms, attempts: 2}}
      look: {weight: 3, criticality: SHEDDABLE, service: 10ms, client: *c}
policies: {bare: {}, gate: {stations: {backend: {gate: {limit: 1}}}}}
expect:
  - {name: goodput, measure: goodput, policy: gate, per: capacity, at-least: 0.95}
`

func file(t *testing.T, text string) string {
	t.Helper()
	name := filepath.Join(t.TempDir(), "short.yaml")
	if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return name
}

// What people read.
func TestTranscripts(t *testing.T) {
	name := file(t, short)
	for text, args := range map[string]string{
		"run": "run FILE --policy gate", "run_bare": "run FILE --set load=0.5", "run_seeds": "run FILE --seeds 3 --seed 7",
		"compare": "compare FILE", "compare_seeds": "compare FILE --seeds 4",
	} {
		out, err := simulate(t, strings.Fields(strings.ReplaceAll(args, "FILE", name))...)
		if err != nil {
			t.Errorf("%s: %v", args, err)
			continue
		}
		golden.File(t, "testdata/"+text+".txt", out)
	}
}

// What programs read has the same figures, and a page stands beside it.
func TestJSONAndCSV(t *testing.T) {
	name, html := file(t, short), filepath.Join(t.TempDir(), "out.html")
	out, err := simulate(t, "compare", name, "--seeds", "2", "--json", "--html", html)
	var got resultJSON
	if err != nil || json.Unmarshal([]byte(out), &got) != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	if len(got.Runs) != 4 || got.Runs[0].Policy != "bare" || got.Runs[1].Seed != 2 || got.Runs[0].Total.Offered != got.Runs[2].Total.Offered ||
		len(got.Differences) != 1 || got.Differences[0].Interval == nil || !got.Verdicts[0].OK {
		t.Errorf("have %+v", got)
	}
	if page, err := os.ReadFile(html); err != nil || !bytes.Contains(page, []byte("a small overload")) {
		t.Errorf("the page: %v", err)
	}
	out, err = simulate(t, "run", name, "--csv")
	rows, bad := csv.NewReader(strings.NewReader(out)).ReadAll()
	if err != nil || bad != nil || len(rows) != len(got.Runs[0].Series.Good)+1 || rows[0][5] != "good" {
		t.Errorf("%v, %v: %d rows", err, bad, len(rows))
	}
}

func TestExpectationsDecideHowItEnds(t *testing.T) {
	name := file(t, strings.Replace(short, "at-least: 0.95", "at-least: 1.5", 1))
	out, err := simulate(t, "run", name)
	if err == nil || err.Error() != "sim: 1 of 1 figures are not as expected" || !strings.Contains(out, "MISSED") {
		t.Errorf("%v\n%s", err, out)
	}
	if _, err := simulate(t, "run", name, "--set", "load=3"); err != nil {
		t.Errorf("another load than the file's is held against it: %v", err)
	}
}

func TestFaults(t *testing.T) {
	name := file(t, short)
	bad := strings.Replace(short, "workers: 1", "workers: one", 1)
	bad = file(t, strings.Replace(bad, "measure: goodput", "measure: badput", 1))
	_, err := simulate(t, "run", bad)
	if err == nil || !strings.Contains(err.Error(), "short.yaml:4: stations.backend.workers: ") || !strings.Contains(err.Error(), "short.yaml:13: expect[0].measure: ") {
		t.Errorf("of what is expected: %v", err)
	}
	for args, want := range map[string]string{
		"run over-load":                     "over-load: want a file, or the name of a scenario; did you mean overload?",
		"run nothing":                       "nothing: want a file, or the name of a scenario; see plimsoll sim list",
		"run FILE --policy x --seeds 0":     "--seeds: want a whole number from 1 to 10000, have 0\n--policy: want a policy of the file (bare, gate), have x",
		"run FILE --set load --set x=1":     "--set: want a parameter and a number, such as load=2, have load\n--set: want a parameter of the file (load), have x=1",
		"run FILE --json --csv":             "--csv: want either --csv or --json",
		"compare FILE --policy bare,bare,z": "--policy: want each policy once, have bare twice\n--policy: want a policy of the file (bare, gate), have z",
		"run FILE --set load=-1":            "short.yaml:7: sources.callers.arrivals: want a rate above 0 and at most 1e9 a second",
		"compare R11.yaml --policy ''":      "--policy: want a policy of the file",
	} {
		_, err := simulate(t, strings.Fields(strings.ReplaceAll(args, "FILE", name))...)
		if err == nil || !strings.HasSuffix(err.Error(), want) && !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%s:\nhave %v\nwant %s", args, err, want)
		}
	}
}

func TestList(t *testing.T) {
	out, err := simulate(t, "list")
	if err != nil || !strings.Contains(out, "\noverload ") || !strings.Contains(out, "bare, fixed, default") {
		t.Errorf("%v\n%s", err, out)
	}
	out, err = simulate(t, "list", "--json")
	var all []listed
	if err != nil || json.Unmarshal([]byte(out), &all) != nil || len(all) < 6 {
		t.Errorf("%v\n%s", err, out)
	}
}

// Student's points of 95 %, from a table.
func TestStudent(t *testing.T) {
	for degrees, want := range map[int]float64{1: 12.706, 30: 2.042, 40: 2.021, 60: 2.000, 120: 1.980} {
		if have := student(degrees); have < want-0.001 || have > want+0.002 {
			t.Errorf("%d degrees: %.4f, want %.3f", degrees, have, want)
		}
	}
	if e := estimated([]float64{1, 2, 3}); e.mean != 2 || e.half < 2.48 || e.half > 2.49 {
		t.Errorf("have %+v", e)
	}
}
