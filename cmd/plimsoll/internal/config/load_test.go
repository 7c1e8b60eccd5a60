package config

import (
	"net/netip"
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
admin: 0.0.0.0:9090
listeners:
  - address: "[::1]:8443"
    tls: {certificate: server.pem, key: /etc/keys/server.key}
    maxConnections: 0
    maxHeaderBytes: 16KiB
    maxStreams: 100
    readHeaderTimeout: 2s
    bodyTimeout: 3s
    minBodyRate: 0
    idleTimeout: 1h
  - address: :8080
upstreams:
  shop:
    endpoints: [h2c://shop.internal:8081/, "https://10.0.0.2:8443"]
    maxConnections: 20
    dialTimeout: 250ms
    idleTimeout: 30s
    deadlineHeaders: [plimsoll, envoy]
    ejection: none
    tls: {ca: ca.pem, serverName: Shop.Internal, certificate: us.pem, key: us.key}
  search:
    endpoints: ["http://[::1]:9200"]
    ejection: {failures: 3, time: 1m, atMost: 33.5%}
    retries: {attempts: 4, backoff: 10ms, maxBackoff: 1s, attemptTimeout: 2s, budget: 5%, reserve: 10, bodies: 1MiB, methods: [GET, POST], causes: [connect, timeout, 503]}
    breaker: {consecutive: 0, failures: 25%, slow: 2s, slowShare: 75%, over: 30s, samples: 50, open: 10s, probes: 3, ramp: 5s, hang: 0, causes: [broken, 500]}
    throttle: {k: 1.5, over: 30s}
gates:
  batch: {limit: 8, maxWait: 1m30s, maxQueue: 200, maxQueueBytes: 10MB, order: earliest_deadline, full: drop_oldest, maxStreams: 10}
  shop:
    minLimit: 2
    maxLimit: 64
    shares: {SHEDDABLE: 10%, CRITICAL: 30%}
    recover: {automatic: true, after: 5s, below: 50%, ramp: 0s}
classes:
  people:
    criticality: CRITICAL_PLUS
    producer: internal
    claims: {public: SHEDDABLE, trusted: CRITICAL, from: [priority, header]}
    levelHeader: x-user-id
    tenantHeader: X-Tenant
routes:
  - name: checkout
    match: {host: Shop.example, path: /checkout/*, methods: [post, PUT], headers: {x-plan: free, X-Beta: "*"}}
    upstream: shop
    gate: batch
    class: people
    criticality: SHEDDABLE_PLUS
    timeout: 0
    maxTimeout: 1m
    stream: true
  - match: {host: "*.search.example"}
    upstream: search
    maxTimeout: 1s
    cache: {staleWhileRevalidate: 30s, staleIfError: 10m}
timeout: 2s
maxTimeout: 10m
timeoutHeader: x-budget-ms
hopMargin: 20ms
statusWhenFull: 429
cache: {bytes: 256MiB, objectBytes: 2MiB, entries: 500, variants: 3, fetchTimeout: 5s, refreshes: 9}
exempt: [/healthz, /metrics*]
trust:
  everyone: false
  networks: [10.1.2.3/8, "::1"]
  keys: [{id: edge-1, file: keys/edge-1}]
drain: {delay: 5s, timeout: 1m}
readyWhenFull: false
telemetry:
  otlp: {endpoint: http://collector:4318, traces: false, metrics: true, sample: 0.1%}
  serverTiming: true
  loadReport: true
  shedLogs: 0
`

func TestLoadEveryKey(t *testing.T) {
	c, faults := loadFile(t, full, Flags{})
	if faults != nil {
		t.Fatal(strings.Join(faults, "\n"))
	}
	dir := strings.TrimSuffix(c.Listeners[0].TLS.Certificate, "/server.pem")
	if dir == "" || dir[0] != '/' {
		t.Fatalf("%q", c.Listeners[0].TLS.Certificate)
	}
	second, batch, people := newListener(), newGate("batch"), newClass("people")
	second.Address = ":8080"
	batch.Limit, batch.MaxWait, batch.MaxQueue, batch.MaxQueueBytes, batch.MaxStreams = 8, 90*time.Second, 200, 10_000_000, 10
	batch.Order, batch.Full = queue.EarliestDeadline, queue.DropOldest
	shop := newGate("shop")
	shop.MinLimit, shop.MaxLimit = 2, 64
	shop.Shares[class.Sheddable.Lane()], shop.Shares[class.Critical.Lane()] = 10, 30
	shop.Recover = Recover{Automatic: true, After: 5 * time.Second, Below: 50}
	people.Criticality, people.Internal, people.LevelHeader, people.TenantHeader = class.CriticalPlus, true, "X-User-Id", "X-Tenant"
	people.Claims = Claims{Public: class.Sheddable, Trusted: class.Critical, Header: true, Priority: true}
	want := Config{
		Name: "shop", Admin: "0.0.0.0:9090",
		Listeners: []Listener{{
			Address: "[::1]:8443", TLS: ServerTLS{dir + "/server.pem", "/etc/keys/server.key"},
			MaxHeaderBytes: 16384, MaxStreams: 100, ReadHeaderTimeout: 2 * time.Second, BodyTimeout: 3 * time.Second, IdleTimeout: time.Hour,
		}, second},
		Upstreams: []Upstream{{
			Name: "shop", Endpoints: []Endpoint{{"h2c", "shop.internal:8081"}, {"https", "10.0.0.2:8443"}},
			MaxConnections: 20, DialTimeout: 250 * time.Millisecond, IdleTimeout: 30 * time.Second,
			DeadlineHeaders: []Dialect{Plimsoll, Envoy},
			TLS:             ClientTLS{dir + "/ca.pem", "shop.internal", dir + "/us.pem", dir + "/us.key"},
		}, {
			Name: "search", Endpoints: []Endpoint{{"http", "[::1]:9200"}},
			DialTimeout: 5 * time.Second, IdleTimeout: time.Minute, DeadlineHeaders: []Dialect{Plimsoll},
			Ejection: Ejection{Failures: 3, Time: time.Minute, AtMost: 33.5},
			Retries: Retries{
				Attempts: 4, Backoff: 10 * time.Millisecond, MaxBackoff: time.Second, AttemptTimeout: 2 * time.Second,
				Budget: 5, Reserve: 10, Bodies: 1 << 20, Methods: 1<<0 | 1<<6, Causes: TroublesOf(NoConnection, TimedOut, Status503),
			},
			Breaker: Breaker{
				Failures: 25, Slow: 2 * time.Second, SlowShare: 75, Over: 30 * time.Second, Samples: 50,
				Open: 10 * time.Second, Probes: 3, Ramp: 5 * time.Second, Causes: TroublesOf(Broken, Status500),
			},
			Throttle: Throttle{K: 1.5, Over: 30 * time.Second},
		}},
		Gates:   []Gate{shop, newGate("search"), batch},
		Classes: []Class{newClass(DefaultClass), people},
		Routes: []Route{{
			Name: "checkout", Upstream: "shop", Gate: "batch", Class: "people", Criticality: class.SheddablePlus,
			Match: Match{
				Host: "shop.example", Path: "/checkout/*", Methods: []string{"POST", "PUT"},
				Headers: []HeaderMatch{{"X-Plan", "free"}, {"X-Beta", "*"}},
			},
			MaxTimeout: time.Minute, Stream: true,
		}, {
			Name: "/*", Match: Match{Host: "*.search.example"}, Upstream: "search", Gate: "search", Class: DefaultClass,
			Timeout: time.Second, MaxTimeout: time.Second, Cache: RouteCache{On: true, StaleWhileRevalidate: 30 * time.Second, StaleIfError: 10 * time.Minute},
		}},
		Timeout: 2 * time.Second, MaxTimeout: 10 * time.Minute, TimeoutHeader: "X-Budget-Ms", HopMargin: 20 * time.Millisecond,
		Cache:          Cache{Bytes: 256 << 20, ObjectBytes: 2 << 20, Entries: 500, Variants: 3, FetchTimeout: 5 * time.Second, Refreshes: 9},
		StatusWhenFull: 429, Exempt: []Pattern{"/healthz", "/metrics*"},
		Trust: Trust{
			Networks: []netip.Prefix{netip.MustParsePrefix("10.0.0.0/8"), netip.MustParsePrefix("::1/128")},
			Keys:     []Key{{"edge-1", dir + "/keys/edge-1"}},
		},
		Drain:     Drain{5 * time.Second, time.Minute},
		Telemetry: Telemetry{OTLP: OTLP{"http://collector:4318", false, true, 0.1}, ServerTiming: true, LoadReport: true},
	}
	if !reflect.DeepEqual(c, want) {
		t.Errorf("have %+v\nwant %+v", c, want)
	}
}

// A short file is whole.
func TestShortFile(t *testing.T) {
	c := good(t, "")
	e := Endpoint{"http", "127.0.0.1:8081"}
	want := For(e)
	want.Upstreams[0].Name, want.Gates[0].Name, want.Routes[0].Upstream, want.Routes[0].Gate = "shop", "shop", "shop", "shop"
	if !reflect.DeepEqual(c, want) {
		t.Errorf("have %+v\nwant %+v", c, want)
	}
	alone, err := Load(Flags{Upstream: given(e.String())})
	alone.Places = nil
	if err != nil || !reflect.DeepEqual(alone, For(e)) {
		t.Errorf("by flags %+v, %v", alone, err)
	}
	if r := c.Routes[0]; !r.Match.Everything() || r.Timeout != 15*time.Second || r.MaxTimeout != 30*time.Second || r.Name != "/*" {
		t.Errorf("the only route: %+v", r)
	}
}

func TestFlagsOverrideTheFile(t *testing.T) {
	c, faults := loadFile(t, "timeout: 1s\n"+gateOf("limit: 5, maxQueue: 7")+minimal, Flags{
		Limit: given("auto"), MaxWait: given("0"), Upstream: given("https://other"), Listen: given(":1234"), Timeout: given("3s"), Drain: given("7s"),
	})
	if faults != nil {
		t.Fatal(strings.Join(faults, "\n"))
	}
	if g := c.Gates[0]; g.Limit != 0 || g.MaxWait != 0 || g.MaxQueue != 7 {
		t.Errorf("have %+v", g)
	}
	if c.Upstreams[0].Endpoints[0].String() != "https://other" || c.Upstreams[0].Name != "shop" || c.Listeners[0].Address != ":1234" || c.Routes[0].Timeout != 3*time.Second || c.Drain.Timeout != 7*time.Second {
		t.Errorf("have %+v", c)
	}
}

// A flag is about the only part of its kind, or a fault.
func TestFlagsNeedOneMeaning(t *testing.T) {
	_, faults := loadFile(t, full, Flags{Limit: given("0"), Upstream: given("https://other"), Listen: given(":1234"), Order: given("adaptive")})
	want := []string{
		"--listen: want one listener that it is about; the file has 2, so say it under listeners there",
		"--upstream: want one upstream that it is about; the file has 2, so say it under upstreams there",
		"--limit: want auto or a whole number from 1 to 1048576, have 0",
		"--limit: want one gate that it is about; the file has 3, so say it under gates there",
		"--order: want one gate that it is about; the file has 3, so say it under gates there",
	}
	if !reflect.DeepEqual(faults, want) {
		t.Errorf("have\n%s\nwant\n%s", strings.Join(faults, "\n"), strings.Join(want, "\n"))
	}
}

// Every flag is read.
func TestFlagsAreSettings(t *testing.T) {
	if n := reflect.TypeFor[Flags]().NumField() - 1; len(flags) != n { // Config is none
		t.Errorf("%d flags are read of %d", len(flags), n)
	}
	if flagName("statusWhenFull") != "--status-when-full" {
		t.Error(flagName("statusWhenFull"))
	}
}

func TestPartsCompare(t *testing.T) {
	a, _ := loadFile(t, full, Flags{})
	b, _ := loadFile(t, strings.Replace(full, "limit: 8", "limit: 9", 1), Flags{})
	if a.Gates[2].Equal(b.Gates[2]) || !a.Gates[0].Equal(b.Gates[0]) || !a.Upstreams[1].Equal(b.Upstreams[1]) || !a.Routes[1].Equal(b.Routes[1]) {
		t.Error("what changed is not what compares as changed")
	}
}
