package bounds

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/plimsoll-go/plimsoll"
	"github.com/plimsoll-go/plimsoll/cmd/plimsoll/internal/config"
)

// minimal is what every file needs.
const minimal = "\nversion: 1\nupstreams: {shop: {endpoints: [http://a]}}\n"

// read reads a file of this text, called gate.yaml.
func read(t testing.TB, text string) config.Config {
	t.Helper()
	name := filepath.Join(t.TempDir(), "gate.yaml")
	if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	c, err := config.LoadText(config.Flags{Config: name})
	if err != nil {
		t.Fatalf("%s\n%v", text, err)
	}
	for key, at := range c.Places {
		c.Places[key] = strings.TrimPrefix(at, filepath.Dir(name)+"/")
	}
	return c
}

// calm is a system that bounds nothing too early.
var calm = Reading{Backlog: 4096, Files: 1 << 20}

func TestWarnings(t *testing.T) {
	tested := map[string]bool{"tier-after-callers": true} // below, with its cause
	busy := calm
	busy.Process, busy.Gates = 7, []Gate{{Name: "shop", Limit: 10, DrainRate: 80}}
	for _, c := range []struct {
		code, text string
		now        Reading
		want       string // "": nothing is warned of
	}{
		{"", minimal, calm, ""},
		{"unbounded-connections", "listeners: [{address: ':80', maxConnections: 0}]" + minimal, calm,
			"gate.yaml:1: listeners[0].maxConnections: there is no bound of connections on :80 but the file descriptors, and when these run out no connection to a service can be made either"},
		{"descriptors-first", minimal, Reading{Files: 1024},
			"listeners[0].maxConnections (default): 10000 connections can never be open: the 1024 file descriptors that the process may have run out first; raise RLIMIT_NOFILE, or lower this"},
		{"descriptors-first", "gates: {shop: {limit: 200}}" + minimal, Reading{Files: 10200},
			"listeners[0].maxConnections (default): 10000 connections leave no file descriptors, of 10200, for the 200 requests that may be on their way to a service; raise RLIMIT_NOFILE, or lower this"},
		{"", "gates: {shop: {limit: 200}}" + minimal, Reading{Files: 10232}, ""},
		{"connections-before-limit", "listeners: [{address: ':80', maxConnections: 50}, {address: ':81', maxConnections: 50}]\ngates: {shop: {limit: 100}}" + minimal, calm,
			"gate.yaml:2: gates.shop.limit: over HTTP/1.1 the limit of gate shop, 100, can never be reached: 100 connections are all that may be open"},
		{"", "listeners: [{address: ':80', maxConnections: 101}]\ngates: {shop: {limit: 100}}" + minimal, calm, ""},
		{"connections-before-queue", "listeners: [{address: ':80', maxConnections: 100}]\ngates: {shop: {limit: 60, maxQueue: 50}}" + minimal, calm,
			"gate.yaml:2: gates.shop.maxQueue: over HTTP/1.1 the queue of gate shop can never be full: beside 60 in flight there are 40 connections for its 50 places"},
		{"", "listeners: [{address: ':80', maxConnections: 100}]\ngates: {shop: {limit: 60, maxQueue: 40}}" + minimal, calm, ""},
		{"tier-before-climb", "timeout: 600ms\ngates: {shop: {ladder: {dwell: 300ms, tiers: [{name: reviews, above: 100ms}, {name: images, above: 200ms}]}}}" + minimal, calm,
			"gate.yaml:2: gates.shop.ladder.dwell: the tiers of gate shop go on too slowly for route /*: 2 of them take 600ms, and its callers wait for 600ms (gate.yaml:1)"},
		{"", "upstreams: {shop: {endpoints: [http://a]}, cdn: {endpoints: [http://b]}}\nversion: 1\ngates: {shop: {ladder: {tiers: [{name: reviews, above: 100ms}]}}}\nroutes: [{upstream: shop, degrade: {reviews: {upstream: cdn}}}]\n", calm, ""},
		{"queue-unused", "gates: {shop: {maxWait: 0, maxQueue: 10}}" + minimal, calm,
			"gate.yaml:1: gates.shop.maxQueue: nobody ever takes one of 10 places: maxWait is 0, so nobody waits"},
		{"queue-unused", "gates: {shop: {maxWait: 1s, maxQueue: 0}}" + minimal, calm,
			"gate.yaml:1: gates.shop.maxWait: nobody ever waits for 1s: maxQueue is 0, so there is no queue"},
		{"", "gates: {shop: {maxQueue: 0}}" + minimal, calm, ""},
		{"queue-outwaits-callers", "gates: {shop: {maxWait: 2s}}\nroutes: [{name: buy, timeout: 2s}]" + minimal, calm,
			"gate.yaml:1: gates.shop.maxWait: a wait of 2s never ends by this bound on route buy, whose callers wait for 2s in all (gate.yaml:2): what waits that long is served for nobody"},
		{"queue-outwaits-callers", "timeout: 400ms\nupstreams: {shop: {endpoints: [http://a], dialTimeout: 100ms}}\nversion: 1", calm,
			"gates.shop.maxWait (default): a wait of 500ms never ends by this bound on route /*, whose callers wait for 400ms in all (gate.yaml:1): what waits that long is served for nobody"},
		{"", "timeout: 6s\ngates: {shop: {maxWait: 5s}}" + minimal, calm, ""},
		{"wait-before-queue", "gates: {shop: {maxQueue: 41}}" + minimal, busy,
			"gate.yaml:1: gates.shop.maxQueue: the queue of gate shop can never be full: within maxWait, 500ms, 40 of its 41 places are served, at 80/s now"},
		{"", "gates: {shop: {maxQueue: 40}}" + minimal, busy, ""},
		{"unbounded-bytes", "gates: {shop: {maxQueueBytes: 0}}" + minimal, calm,
			"gate.yaml:1: gates.shop.maxQueueBytes: there is no bound of the memory that waits at gate shop"},
		{"bodies-never-wait", "gates: {shop: {maxQueueBytes: 8KiB}}" + minimal, calm,
			"gate.yaml:1: gates.shop.maxQueueBytes: no request with a body ever waits at gate shop: 8KiB of each are kept, beside its header"},
		{"", "gates: {shop: {maxQueueBytes: 8KiB, maxQueue: 0}}" + minimal, calm, ""},
		{"streams-keep-slots", "gates: {shop: {maxStreams: 0}}\nroutes: [{name: live, stream: true}]" + minimal, calm,
			"gate.yaml:1: gates.shop.maxStreams: streams of route live hold their slots for as long as they live: none may be open beside the limit"},
		{"nobody-to-block", "gates: {shop: {full: block}}" + minimal, calm,
			"gate.yaml:1: gates.shop.full: nobody is ever blocked at gate shop: no class of its routes has a producer that is internal"},
		{"", "gates: {shop: {full: block}}\nclasses: {default: {producer: internal}}" + minimal, calm, ""},
		{"pool-before-limit", "gates: {shop: {limit: 41}}\nupstreams: {shop: {endpoints: [http://a, http://b], maxConnections: 20}}\nversion: 1", calm,
			"gate.yaml:2: upstreams.shop.maxConnections: the gates before upstream shop let up to 41 requests through, and 40 connections carry one each: the others hold a slot while they wait for a connection, by nobody's order; lower the limit to 40, or raise this"},
		{"", "gates: {shop: {limit: 40}}\nupstreams: {shop: {endpoints: [http://a, http://b], maxConnections: 20}}\nversion: 1", calm, ""},
		{"", "gates: {shop: {limit: 41}}\nupstreams: {shop: {endpoints: [h2c://a], maxConnections: 1}}\nversion: 1", calm, ""},
		{"no-deadline", "routes: [{name: slow, timeout: 0}]" + minimal, calm,
			"gate.yaml:1: routes[0].timeout: a request of route slow that brings no deadline has none, and may hold its slot for as long as the service likes"},
		{"", "routes: [{name: live, timeout: 0, stream: true}]" + minimal, calm, ""},
		{"deadline-before-dial", "timeout: 5s\nupstreams: {shop: {endpoints: [http://a], dialTimeout: 5s}}\nversion: 1", calm,
			"gate.yaml:2: upstreams.shop.dialTimeout: a connection to upstream shop never takes 5s: no route to it has that much time"},
		{"", "timeout: 5s\ntrust: {everyone: true}\nupstreams: {shop: {endpoints: [http://a], dialTimeout: 5s}}\nversion: 1", calm, ""},
		{"", "timeout: 4s" + minimal, calm, ""},
		{"deadline-before-body", "timeout: 5s\nlisteners: [{address: ':80', bodyTimeout: 5s}]" + minimal, calm,
			"gate.yaml:2: listeners[0].bodyTimeout: a body never stands still for 5s: no route has that much time"},
		{"", "timeout: 5s\ntrust: {everyone: true}\nlisteners: [{address: ':80', bodyTimeout: 5s}]" + minimal, calm, ""},
		{"deadline-before-body", "timeout: 5s\nroutes: [{name: live, match: {path: /live}, timeout: 0, stream: true}, {name: buy}]\nlisteners: [{address: ':80', bodyTimeout: 5s}]" + minimal, calm,
			"gate.yaml:3: listeners[0].bodyTimeout: a body never stands still for 5s: no route has that much time"},
		{"margin-cut", "hopMargin: 2s" + minimal, calm,
			"gate.yaml:1: hopMargin: a hop margin of 2s is never kept: a tenth of the time is the most, and no route has ten times as much"},
		{"nothing-ejected", "upstreams: {shop: {endpoints: [http://a, http://b], ejection: {atMost: 49%}}}\nversion: 1", calm,
			"gate.yaml:1: upstreams.shop.ejection: no endpoint of upstream shop is ever left out: 49% of 2 is none"},
		{"", "upstreams: {shop: {endpoints: [http://a], retries: {attemptTimeout: 300ms}, breaker: {slow: 200ms}, throttle: {}}}\ntimeout: 1s\nversion: 1", calm, ""},
		{"retries-never", "upstreams: {shop: {endpoints: [http://a], retries: {budget: 0%, reserve: 0}}}\nversion: 1", calm,
			"gate.yaml:1: upstreams.shop.retries.budget: nothing is sent to upstream shop again: the budget is 0%, and the reserve 0"},
		{"", "upstreams: {shop: {endpoints: [http://a], retries: {budget: 0%, reserve: 1}}}\nversion: 1", calm, ""},
		{"attempts-out-of-time", "timeout: 1s\nupstreams: {shop: {endpoints: [http://a], retries: {attemptTimeout: 500ms}}}\nversion: 1", calm,
			"gate.yaml:2: upstreams.shop.retries.attemptTimeout: of attempts at upstream shop that wait for 500ms each, no more than 2 of 3 begin: no route to it has more than 1s"},
		{"attempts-out-of-time", "timeout: 1s\nupstreams: {shop: {endpoints: [http://a], retries: {attemptTimeout: 1s}}}\nversion: 1", calm,
			"gate.yaml:2: upstreams.shop.retries.attemptTimeout: an attempt at upstream shop never waits for 1s: no route to it has more than 1s"},
		{"", "routes: [{name: live, stream: true}]\nupstreams: {shop: {endpoints: [http://a], retries: {attemptTimeout: 10s}, breaker: {hang: 1m}}}\nversion: 1", calm, ""},
		{"hangs-unseen", "timeout: 900ms\nupstreams: {shop: {endpoints: [http://a], breaker: {}}}\nversion: 1", calm,
			"upstreams.shop.breaker.hang (default): a hang of upstream shop never opens its breaker: a caller who waits in vain counts after 1s, and no route to it has more than 900ms"},
		{"hangs-unseen", "timeout: 2s\nupstreams: {shop: {endpoints: [http://a], retries: {attemptTimeout: 500ms}, breaker: {slow: 500ms}}}\nversion: 1", calm,
			"gate.yaml:2: upstreams.shop.breaker.slow: no attempt at upstream shop takes longer than 500ms: none has more than 500ms"},
		{"", "timeout: 900ms\nupstreams: {shop: {endpoints: [http://a], breaker: {slow: 500ms}}}\nversion: 1", calm, ""},
		{"drain-cuts", "drain: {timeout: 10s}" + minimal, calm,
			"gate.yaml:1: drain.timeout: what has been admitted has 10s to end, and requests of route /* may take 15s (default): they are cut"},
		{"everything-exempt", "exempt: [/healthz, /*]" + minimal, calm,
			"gate.yaml:1: exempt: /* is every path: no gate is ever asked"},
		{"unused", "upstreams: {shop: {endpoints: [http://a]}, old: {endpoints: [http://b]}}\nroutes: [{upstream: shop}]\nversion: 1", calm,
			"gate.yaml:1: upstreams.old: no route leads to upstream old"},
		{"unused", "gates: {shop: {limit: 9}, other: {}}\nroutes: [{gate: other}]" + minimal, calm,
			"gate.yaml:1: gates.shop: no route passes gate shop"},
		{"unused", "classes: {gold: {}}" + minimal, calm,
			"gate.yaml:1: classes.gold: no route is of class gold"},
	} {
		settings := read(t, c.text)
		var have []string
		for _, w := range Of(settings, c.now).Warnings {
			if have = append(have, w.String()); w.Code != c.code {
				t.Errorf("%s\n is warned of as %s, want %q", c.text, w.Code, c.code)
			}
		}
		if got := strings.Join(have, "\n"); got != c.want {
			t.Errorf("%s\n have %s\n want %s", c.text, got, c.want)
		}
		tested[c.code] = true
	}
	for _, c := range checks {
		if !tested[c.code] {
			t.Errorf("nothing shows %s", c.code)
		}
	}
}

// Every hop has its bounds, in order, each with a value, a source and an end.
func TestChain(t *testing.T) {
	c := read(t, "listeners: [{address: ':80', maxConnections: 7}]\ngates: {shop: {limit: 64}}\nroutes: [{name: buy, timeout: 2s}]"+minimal)
	now := Reading{
		Process: 7, Backlog: 128, Files: 1024, FilesOpen: 30,
		Listeners: []Listener{{Address: ":80", Connections: 3}},
		Gates:     []Gate{GateOf(&plimsoll.Snapshot{Name: "shop", Limit: 64, InFlight: 5, Bound: 12, Depth: 2, QueueBytes: 700, Streams: 1, DrainRate: 3})},
	}
	chain := Of(c, now)
	var have []string
	for _, b := range chain.Bounds {
		have = append(have, b.Hop+": "+b.Name+" "+b.shown()+" ("+b.From+")")
		if b.Unit == "" || b.Hit == "" {
			t.Errorf("%s: %+v", b.Name, b)
		}
	}
	want := []string{
		"listener :80: accept backlog 128 (net.core.somaxconn)",
		"listener :80: file descriptors 1024, used 30 (RLIMIT_NOFILE (ulimit -n))",
		"listener :80: connections 7, used 3 (gate.yaml:1)",
		"listener :80: header time 5s (default)",
		"listener :80: header size 64KiB (default)",
		"listener :80: streams of one HTTP/2 connection 250 (default)",
		"listener :80: time that a body stands still 5s (default)",
		"listener :80: bytes a second of a body 1KiB (default)",
		"listener :80: idle time 1m30s (default)",
		"gate shop: time of buy 2s (gate.yaml:3)",
		"gate shop: places in the queue auto, what is served within 500ms, 10000 at most; now 12, used 2 (default)",
		"gate shop: bytes in the queue 64MiB, used 700 (default)",
		"gate shop: time in the queue 500ms (default)",
		"gate shop: requests in flight 64, used 5 (gate.yaml:2)",
		"gate shop: streams beside the limit 1000, used 1 (default)",
		"upstream shop: connections none: as many as the limit lets through (default)",
		"upstream shop: connections being made 64 (built in)",
		"upstream shop: time to connect 5s (default)",
		"upstream shop: time until an answer to buy begins 1.995s (gate.yaml:3)",
		"upstream shop: header size of an answer 64KiB (built in)",
		"upstream shop: idle time 1m0s (default)",
		"upstream shop: endpoints left out 0 of 1 (default)",
	}
	if !slices.Equal(have, want) {
		t.Errorf("have\n%s\nwant\n%s", strings.Join(have, "\n"), strings.Join(want, "\n"))
	}
	var b strings.Builder
	if err := chain.Print(&b); err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(b.String()) {
		if !strings.HasPrefix(line, "#") {
			t.Errorf("no comment: %q", line)
		}
	}
	if !strings.HasPrefix(b.String(), "# The chain of bounds, as the running proxy (process 7) has it:\n#\n# listener :80\n#   accept backlog ") {
		t.Errorf("have\n%s", b.String())
	}
}

func TestSystem(t *testing.T) {
	r := System()
	if _, err := os.Stat("/proc/sys/net/core/somaxconn"); err != nil {
		t.Skip("only Linux tells")
	}
	if r.Backlog < 1 || r.FilesOpen < 3 || r.Process != 0 {
		t.Errorf("%+v", r)
	}
}

// Nobody is given an example whose bounds do not hang together.
func TestExamplesHangTogether(t *testing.T) {
	names, err := filepath.Glob("../../../../deploy/examples/*.yaml")
	if err != nil || len(names) < 5 {
		t.Fatal(names, err)
	}
	for _, name := range append(names, "../../proxy.example.yaml") {
		c, err := config.LoadText(config.Flags{Config: name})
		if err != nil {
			t.Error(err)
			continue
		}
		for _, w := range Of(c, calm).Warnings {
			t.Errorf("%s", w)
		}
	}
}

// A tier that goes on after the callers have gone is warned of beside the wait
// that lets it.
func TestTierAfterCallers(t *testing.T) {
	c := read(t, "gates: {shop: {maxWait: 290ms, ladder: {dwell: 10ms, tiers: [{name: reviews, above: 100ms}, {name: images, above: 280ms}]}}}\nroutes: [{timeout: 250ms}]"+minimal)
	all := Of(c, calm).Warnings
	if len(all) != 2 || all[0].Code != "queue-outwaits-callers" || all[1].Code != "tier-after-callers" {
		t.Fatalf("%v", all)
	}
	const want = "gate.yaml:1: gates.shop.ladder.tiers[1].above: tier images goes on too late for route /*: a delay of 280ms is more than its callers wait (gate.yaml:2): what waits that long is served for nobody"
	if have := all[1].String(); have != want {
		t.Errorf("have %s\nwant %s", have, want)
	}
	i := slices.IndexFunc(Of(c, calm).Bounds, func(b Bound) bool { return b.Key == "gates.shop.ladder.tiers[0].above" })
	if b := Of(c, calm).Bounds[i]; b.Hop != "gate shop" || b.Name != "delay before reviews" || b.Value != "100ms" || *b.Most != 0.1 {
		t.Errorf("%+v", b)
	}
}
