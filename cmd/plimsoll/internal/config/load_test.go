package config

import (
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/plimsoll-go/plimsoll/class"
	"github.com/plimsoll-go/plimsoll/queue"
)

const full = `
version: 1
name: shop
listen: "[::1]:8443"
admin: 0.0.0.0:9090
upstream: h2c://shop.internal:8081/
limit: 64
maxWait: 1m30s
maxQueue: 200
order: earliest_deadline
full: drop_oldest
maxStreams: 10
timeout: 2s
maxTimeout: 10m
timeoutHeader: x-budget-ms
hopMargin: 20ms
statusWhenFull: 429
trustedNetworks: [10.1.2.3/8, "::1"]
levelHeader: x-user-id
tenantHeader: X-Tenant
exempt: [/healthz, /metrics*]
rules:
  - path: /checkout/*
    methods: [post, PUT]
    criticality: critical_plus
  - headers: {x-plan: free, X-Beta: "*"}
    criticality: SHEDDABLE
  - path: /live
    stream: true
readyWhenFull: false
drainDelay: 5s
drainTimeout: 1m
readHeaderTimeout: 2s
idleTimeout: 1h
`

func TestLoadEveryKey(t *testing.T) {
	c, faults := load(t, full, Flags{})
	if faults != nil {
		t.Fatal(strings.Join(faults, "\n"))
	}
	if c.Upstream.String() != "h2c://shop.internal:8081" || c.Limit != 64 || c.MaxWait != 90*time.Second ||
		c.Order != queue.EarliestDeadline || c.Full != queue.DropOldest || c.StatusWhenFull != 429 ||
		c.TrustedNetworks[0].String() != "10.0.0.0/8" || c.LevelHeader != "X-User-Id" {
		t.Errorf("have %+v", c)
	}
	want := []Rule{
		{Path: "/checkout/*", Methods: []string{"POST", "PUT"}, Criticality: class.CriticalPlus},
		{Headers: []HeaderMatch{{"X-Plan", "free"}, {"X-Beta", "*"}}, Criticality: class.Sheddable},
		{Path: "/live", Stream: true},
	}
	if !reflect.DeepEqual(c.Rules, want) {
		t.Errorf("have %+v\nwant %+v", c.Rules, want)
	}
	for _, key := range keys() {
		if !strings.Contains(full, "\n"+key+":") && key != "minLimit" && key != "maxLimit" && key != "trusted" {
			t.Errorf("this test does not give %s", key)
		}
	}
}

func TestFlagsOverrideTheFile(t *testing.T) {
	c, faults := load(t, full, Flags{Limit: text("auto"), MaxWait: text("0"), Upstream: text("https://other")})
	if faults != nil {
		t.Fatal(strings.Join(faults, "\n"))
	}
	if c.Limit != 0 || c.MaxWait != 0 || c.Upstream.String() != "https://other" || c.StatusWhenFull != 429 {
		t.Errorf("have %+v", c)
	}
}

// Every flag reads a setting, and is the setting's name in kebab-case.
func TestFlagsAreSettings(t *testing.T) {
	known := map[string]bool{}
	for _, s := range settings {
		known[s.key] = true
	}
	flags := (&Flags{}).given()
	for key := range flags {
		if !known[key] {
			t.Errorf("no setting %s", key)
		}
	}
	if n := reflect.TypeFor[Flags]().NumField() - 1; len(flags) != n { // Config is none
		t.Errorf("%d flags are read of %d", len(flags), n)
	}
	if flagName("statusWhenFull") != "--status-when-full" {
		t.Error(flagName("statusWhenFull"))
	}
}

func TestPrintReadsBack(t *testing.T) {
	for name, text := range map[string]string{
		"every key": full,
		"defaults":  minimal,
		"auto":      "minLimit: 2\nmaxLimit: 9\ntrusted: true" + minimal,
		"odd text":  "rules: [{headers: {X-A: \"a: 'b' # c\\u00e9\\n\", X-B: 'true', X-C: '0'}, methods: [GET], criticality: SHEDDABLE}]\nexempt: ['/a b', '/:x']" + minimal,
	} {
		before, faults := load(t, text, Flags{})
		if faults != nil {
			t.Fatalf("%s: %q", name, faults)
		}
		var b strings.Builder
		if err := before.Print(&b); err != nil {
			t.Fatal(err)
		}
		after, faults := load(t, b.String(), Flags{})
		if faults != nil || !reflect.DeepEqual(before, after) {
			t.Errorf("%s: printed\n%s\nreads back as %+v, %q", name, b.String(), after, faults)
		}
	}
}

func TestB29PrintsDurationsWithUnits(t *testing.T) {
	var b strings.Builder
	if err := good(t, "maxTimeout: 600s\nmaxWait: 0").Print(&b); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"maxTimeout: 10m0s\n", "maxWait: 0s\n", "timeout: 15s\n"} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("no %q in\n%s", want, b.String())
		}
	}
}

func FuzzFile(f *testing.F) {
	f.Add(full)
	f.Add(minimal)
	f.Add("a: &a [*a]\nversion: 1")
	f.Add("<<: {limit: 1}\nrules: [{path: /*/}]")
	read := func(text string) (Config, error) {
		c, r := Default(), newReader()
		r.document("gate.yaml", []byte(text), &c)
		r.whole("gate.yaml", c)
		return c, r.Faults.Err()
	}
	f.Fuzz(func(t *testing.T, text string) {
		before, err := read(text)
		if err != nil {
			_ = err.Error()
			return
		}
		var b strings.Builder
		if err := before.Print(&b); err != nil {
			t.Fatal(err)
		}
		after, err := read(b.String())
		if err != nil || !reflect.DeepEqual(before, after) {
			t.Errorf("%q was printed as\n%s\nwhich reads back as %+v, %v", text, b.String(), after, err)
		}
	})
}
