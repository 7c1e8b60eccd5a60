package scenario

import (
	"errors"
	"strings"
	"testing"

	"github.com/plimsoll-go/plimsoll/cmd/plimsoll/internal/strict"
)

// decode reads text as a file called s.yaml; what it names is not there, but
// for a trace.
func decode(text string) (*File, error) {
	return Decode("s.yaml", []byte(text), func(name string) ([]byte, error) {
		switch name {
		case "good.csv":
			return []byte("time_ms,class\n10,CRITICAL\n20,\n"), nil
		case "bad.csv":
			return []byte("time_ms,class\n10,URGENT\nsoon,\n"), nil
		}
		return nil, errors.New("no such file")
	})
}

// Every fault of a file, at its line: of the text, of values that do not fit
// together, and of what the simulator itself finds, under whatever policy.
func TestEveryFaultAtOnce(t *testing.T) {
	_, err := decode(`name: x
length: 60
bukket: 1s
parameters: {load: "2", Rate: 1, n: 3}
stations:
  a:
    workers: -1
    refusal-cost: 150%
    gate: {order: random, limit: many, utilisation: 2}
    disturbances:
      - {at: 1s}
      - {at: 1s, slowdown: 0}
      - {at: soon, stall: 1s}
  b: {workers: 1.5, memory: {most: 5}}
sources:
  s:
    arrivals: {poisson: = load * 100}
    service: {exponential: 10ms, pareto: {}}
  t:
    station: c
    arrivals: {constant: = n * rate}
    kinds:
      k: {weight: 1, service: 10, criticality: VERY, client: {patience: [2s, 1s], attempts: = 10ms}}
  u:
    station: b
    arrivals: {steps: [{for: 1s, rate: = (n}]}
  v:
    station: b
    service: 1ms
    arrivals: {trace: bad.csv}
policies:
  one: {stations: {c: {workers: 1}}}
  two: {stations: {b: {gate: {max-queue: -3}}}}
`)
	want := []string{
		"s.yaml:2: length: want a duration that is not negative; it needs a unit right behind the number, such as 500ms, 2s or 1h30m, have 60",
		"s.yaml:3: bukket: want a known key; did you mean bucket?",
		`s.yaml:4: parameters.load: want a number, have "2"`,
		"s.yaml:4: parameters.Rate: want a name of small letters, digits and _, as it stands in formulas",
		"s.yaml:7: stations.a.workers: want a whole number of 0 or more, have -1",
		"s.yaml:8: stations.a.refusal-cost: want a share from 0 to 1, have 1.5",
		"s.yaml:9: stations.a.gate.order: want adaptive, oldest-first, newest-first, earliest-deadline or smallest-cost, have random",
		"s.yaml:9: stations.a.gate.limit: want auto, aimd, vegas, gradient, gradient2, a number, or one of the names with its constants, have many",
		"s.yaml:9: stations.a.gate.utilisation: want a share from 0 to 1",
		"s.yaml:11: stations.a.disturbances[0]: want what happens: one of",
		"s.yaml:12: stations.a.disturbances[1]",
		"s.yaml:13: stations.a.disturbances[2].at: want a duration",
		"s.yaml:14: stations.b.workers: want a whole number of 0 or more, have 1.5",
		"s.yaml:14: stations.b.memory.most: want a size with a unit",
		"s.yaml:16: sources.s: want the station that it asks",
		"s.yaml:18: sources.s.service: want one key",
		"s.yaml:20: sources.t.station: want the name of a station: a, b, have c",
		"s.yaml:21: sources.t.arrivals.constant: want known parameters in the formula (n), not rate, have = n * rate",
		"s.yaml:23: sources.t.kinds.k.service: want a duration",
		"s.yaml:23: sources.t.kinds.k.criticality: want CRITICAL_PLUS",
		"s.yaml:23: sources.t.kinds.k.client.patience: want 0, or no less than Patience, have 1s",
		"s.yaml:23: sources.t.kinds.k.client.attempts: want a number, not a time",
		"s.yaml:24: sources.u.service: want how long it takes",
		"s.yaml:26: sources.u.arrivals.steps[0].rate: want a ) for every (",
		"s.yaml:32: policies.one.stations.c: want the name of one of the file's stations",
		"s.yaml:33: stations.b.gate.max-queue: want a whole number of 0 or more, have -3",
		"bad.csv:2: class: ",
		"bad.csv:3: time_ms: ",
	}
	var have strict.Faults
	if !errors.As(err, &have) {
		t.Fatal(err)
	}
	for _, w := range want {
		if !strings.Contains(err.Error(), w) {
			t.Errorf("not named: %s", w)
		}
	}
	for _, f := range have {
		if f.Line == 0 {
			t.Errorf("without a line: %s", f)
		}
	}
	if len(have) != len(want) {
		t.Errorf("%d faults, want %d", len(have), len(want))
	}
	if t.Failed() {
		t.Log(err)
	}
}

// minimal is a file of which nothing is wrong.
const minimal = `
length: 10s
parameters: {load: 1.5, n: 4}
stations: {a: {workers: = n}}
sources: {s: {arrivals: {poisson: = load * n / 10ms}, service: 10ms, client: {patience: = 2 * (1s - 500ms) * load}}}
`

func TestFormulas(t *testing.T) {
	for formula, want := range map[string]float64{
		"= 1": 1, "=2+3*4": 14, "= (2+3)*4": 20, "= -n + 10": 6, "= 10 - 2 - 3": 5, "= 8 / 2 / 2": 2, "= load * 100": 150, "= 1 / 10ms": 100, "= 1s / 10ms": 100, "= 1e3 * n": 4000,
	} {
		f, err := decode(strings.Replace(minimal, "= load * n / 10ms", formula, 1))
		if err != nil {
			t.Errorf("%s: %v", formula, err)
			continue
		}
		p, _ := f.Build("", nil)
		if have := rateOf(p); have != want {
			t.Errorf("%s is %v, want %v", formula, have, want)
		}
	}
	for _, formula := range []string{"=", "= 1 +", "= load load", "= 10ms + 1", "= 10ms", "= (1", "= 1)", "= other", "= 1 / 0", "= 5sec", "= " + strings.Repeat("(", 60) + "1", "= 1 % 2"} {
		if _, err := decode(strings.Replace(minimal, "= load * n / 10ms", formula, 1)); err == nil || !strings.HasPrefix(err.Error(), "s.yaml:5: sources.s.arrivals.poisson: want ") {
			t.Errorf("%s: %v", formula, err)
		}
	}
}

// FuzzDecode: whatever a file holds, it is read or its faults are named, each
// with a file, and what is read can be built.
func FuzzDecode(f *testing.F) {
	f.Add(minimal)
	f.Add(minimal + "policies: {a: {stations: {a: {gate: {}}}}, b: {}}\n")
	f.Add("a: &a [*a]\nlength: *a")
	f.Add("length: 1s\nstations: {a: &s {workers: 1}, b: *s}\nsources: {s: {station: a, arrivals: {batch: {n: 3}}, service: {bimodal: {short: 1ms, long: {exponential: 1s}}}, calls: {station: b, service: 1ms}}}")
	f.Add("<<: {length: 1s}\nstations: {'': {}}\nsources: [1]")
	f.Fuzz(func(t *testing.T, text string) {
		file, err := decode(text)
		if err == nil {
			if _, err := file.Build(file.Default(), nil); err != nil {
				t.Errorf("decoded, not built: %v", err)
			}
			return
		}
		faults, ok := strict.FaultsOf(err)
		if !ok || len(faults) == 0 {
			t.Fatalf("no faults: %v", err)
		}
		for _, fault := range faults {
			if fault.File == "" || !strings.HasPrefix(fault.Want, "want ") {
				t.Errorf("%+v", fault)
			}
		}
	})
}

func TestLimits(t *testing.T) {
	for limit, want := range map[string]string{
		"0":                               "want a limit from 1 to 1048576, have 0",
		"{auto: {min: 5, max: 2}}":        "want what the algorithm can go by: Auto: Min 5 is above Max 2: lower Min or raise Max",
		"{aimd: {backoff: 2}}":            "want what the algorithm can go by: AIMD: Backoff 2: give 0.5 to below 1, or 0 for 0.9",
		"{gradient: {probe-interval: x}}": "want a number, or a formula",
		"{vegas: {}, aimd: {}}":           "want one key: auto, aimd, vegas, gradient, gradient2",
	} {
		_, err := decode(strings.Replace(minimal, "workers: = n", "workers: 1, gate: {limit: "+limit+"}", 1))
		if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "\n") || !strings.HasPrefix(err.Error(), "s.yaml:4: stations.a.gate.limit") {
			t.Errorf("%s:\nhave %v\nwant %s", limit, err, want)
		}
	}
	for _, limit := range []string{"auto", "8", "= n", "vegas", "{gradient2: {min: 2}}"} {
		if _, err := decode(strings.Replace(minimal, "workers: = n", "workers: 1, gate: {limit: "+limit+"}", 1)); err != nil {
			t.Errorf("%s: %v", limit, err)
		}
	}
}
