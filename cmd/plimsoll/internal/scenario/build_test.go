package scenario

import (
	"strings"
	"testing"
	"time"

	"github.com/plimsoll-go/plimsoll/class"
	"github.com/plimsoll-go/plimsoll/queue"
	"github.com/plimsoll-go/plimsoll/sim"
)

func rateOf(p Plan) float64 { return p.Sources[0].Arrivals.(sim.Poisson).Rate }

func TestBuild(t *testing.T) {
	f, err := decode(minimal)
	if err != nil {
		t.Fatal(err)
	}
	p, err := f.Build("", nil)
	if err != nil || rateOf(p) != 600 || p.Stations[0].Workers != 4 || p.Capacity[0] != 400 || p.Sources[0].Kinds[0].Client.Patience != 1500*time.Millisecond {
		t.Errorf("have %+v, %v", p, err)
	}
	p, err = f.Build("", map[string]float64{"load": 2})
	if err != nil || rateOf(p) != 800 {
		t.Errorf("load=2: have %+v, %v", p, err)
	}
	if _, err = f.Build("", map[string]float64{"load": -1}); err == nil || !strings.HasPrefix(err.Error(), "s.yaml:5: sources.s.") {
		t.Errorf("load=-1: %v", err)
	}
	if _, err = f.Build("", map[string]float64{"laod": 1}); err == nil || err.Error() != "s.yaml: parameters.laod: want a parameter of the file: load, n" {
		t.Errorf("laod: %v", err)
	}
	if _, err = f.Build("other", nil); err == nil || err.Error() != "s.yaml: policies.other: want a policy of the file: it has none" {
		t.Errorf("other: %v", err)
	}
	if f.Name != "s" || f.Seeds != 1 || f.Default() != "" {
		t.Errorf("have %+v", f)
	}
}

const whole = `# What it shows,
# in two lines.
name: everything
source: a book
seeds: 3
length: 10s
bucket: 100ms
grace: none
stations:
  front:
    workers: 4
    sharing: {cores: 2, coherence: 1%}
    cache: {warm: 10, slowdown: 3, gradual: true}
    memory: {each: 1kB, most: 2MiB, restart: 5s}
    gate: {limit: {auto: {min: 2}}, max-wait: 2s, max-streams: none, order: newest-first, full: drop-oldest, shares: {CRITICAL: 90%}}
    disturbances:
      - {at: 1s, workers: 2, slowdown: 2}
      - {at: 2s, blips: {every: 1s, times: 2, length: 100ms, extra: 50ms}}
      - {at: 3s, use-gate: none}
      - {at: 4s, recover: 2s}
      - {at: 4s, cold-cache: true}
      - {at: 5s, restart: 1s}
  back: {capacity: 300}
sources:
  people:
    station: front
    users: 5
    think: {lognormal: {median: 1s, sigma: 0.5}}
    kinds:
      a:
        weight: 2
        service: {bimodal: {short: 1ms, long: {exponential: 5ms}, share: 10%}}
        criticality: CRITICAL
        level: 3
        client: {patience: [1s, 2s], deadline: none, attempts: 3, jitter: none, budget: {share: 0%}, throttle: {k: 1.5}, breaker: {}}
        calls: {station: back, service: 2ms, times: 3, parallel: true, deadline: 100ms}
      b: {service: 3ms, no-wait: true}
  records: {station: back, arrivals: {trace: good.csv}, service: 1ms}
policies:
  plain: {}
  fixed: {stations: {front: {gate: {limit: 8}}}, sources: {people: {kinds: {b: {service: {exponential: 3ms}}}}}}
  none: {stations: {front: {gate: none}}}
`

func TestBuildEverything(t *testing.T) {
	f, err := decode(whole)
	if err != nil {
		t.Fatal(err)
	}
	if f.About != "What it shows,\nin two lines." || f.Source != "a book" || f.Seeds != 3 || strings.Join(f.Policies, " ") != "plain fixed none" {
		t.Errorf("have %+v", f)
	}
	p, err := f.Build("plain", nil)
	if err != nil {
		t.Fatal(err)
	}
	st := p.Stations[0]
	if st.Sharing.Coherence != 0.01 || st.Cache.Warm != 10 || st.Memory.Most != 2<<20 || p.Grace != -1 || p.Capacity[1] != 300 || len(st.Disturbances) != 10 {
		t.Errorf("have %+v %+v", p, st)
	}
	g := st.Gate
	if g.MaxWait != 2*time.Second || g.MaxStreams != -1 || g.Order != queue.NewestFirst || g.Full != queue.DropOldest || g.Shares[class.Critical.Lane()] != 90 {
		t.Errorf("have %+v", g)
	}
	a := p.Sources[0].Kinds[0]
	if p.Sources[0].Users != 5 || a.Weight != 2 || a.Level != 3 || a.Client.Deadline != -1 || a.Client.Most != 2*time.Second || a.Client.Budget.Share != -1 || a.Calls[0].Station != 1 || a.Calls[0].Times != 3 {
		t.Errorf("have %+v", a)
	}
	if r := p.Sources[1].Records; len(r) != 2 || r[0].At != 10*time.Millisecond {
		t.Errorf("have %+v", r)
	}
	fixed, _ := f.Build("fixed", nil)
	if g := fixed.Stations[0].Gate; g.MaxWait != 2*time.Second || g.Limit == nil || fixed.Sources[0].Kinds[1].Service != sim.Exponential(3*time.Millisecond) || !fixed.Sources[0].Kinds[1].NoWait {
		t.Errorf("have %+v, %+v", g, fixed.Sources[0].Kinds[1])
	}
	if none, _ := f.Build("none", nil); none.Stations[0].Gate != nil {
		t.Error("the policy none has a gate")
	}
}

// The service times of a trace count where it has some, unless its kinds' are to.
func TestServiceOfTraces(t *testing.T) {
	for text, want := range map[string]time.Duration{
		"{trace: good.csv}": 5 * time.Millisecond, "{trace: good.csv, service: recorded}": 5 * time.Millisecond, "{trace: good.csv, service: kind}": 0,
	} {
		f, err := Decode("a.yaml", []byte("length: 1s\nstations: {s: {workers: 1}}\nsources:\n  a: {arrivals: "+text+", service: 1ms}\n"+
			"  b: {arrivals: {trace: good.csv}, service: 1ms}\n"), func(string) ([]byte, error) { return []byte("time,service\n0,5ms\n"), nil })
		if err != nil {
			t.Fatal(err)
		}
		p, err := f.Build("", nil)
		if err != nil || p.Sources[0].Records[0].Service != want || p.Sources[1].Records[0].Service != 5*time.Millisecond {
			t.Errorf("%s: %+v, %v", text, p.Sources, err)
		}
	}
	_, err := Decode("a.yaml", []byte("length: 1s\nstations: {s: {workers: 1}}\nsources:\n  a: {arrivals: {trace: good.csv, service: mine, speed: 2}, service: 1ms}\n"),
		func(string) ([]byte, error) { return []byte("time\n0\n"), nil })
	want := "a.yaml:4: sources.a.arrivals.service: want recorded or kind, have mine\na.yaml:4: sources.a.arrivals.speed: want a known key: trace, service"
	if err == nil || err.Error() != want {
		t.Errorf("have %v\nwant %s", err, want)
	}
}
