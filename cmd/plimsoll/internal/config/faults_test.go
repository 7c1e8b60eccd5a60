package config

import (
	"reflect"
	"slices"
	"strings"
	"testing"
)

func TestB29DurationsNeedUnits(t *testing.T) {
	const unit = "want a duration that is not negative; it needs a unit right behind the number, such as 500ms, 2s or 1h30m, have "
	for _, c := range []struct{ value, want string }{
		{"600", unit + "600"},
		{`"600"`, unit + `"600"`},
		{"1.5", unit + "1.5"},
		{"30000000000", unit + "30000000000"},
		{`"10 s"`, unit + `"10 s"`},
		{"10 s", unit + "10 s"},
		{"-5s", unit + "-5s"},
		{"+5s", unit + "+5s"},
		{".5s", unit + ".5s"},
		{"1e3s", unit + "1e3s"},
		{"5sec", unit + "5sec"},
		{"s", unit + "s"},
		{"''", unit + `""`},
		{"", unit + "nothing"},
		{"null", unit + "nothing"},
		{"[1s]", unit + "a list"},
		{"{s: 1}", unit + "keys with values"},
		{"true", unit + "true"},
		{".nan", unit + ".nan"},
		{"9999999h", "want a duration of 292 years (2562047h) at most, have 9999999h"},
	} {
		_, faults := loadFile(t, gateOf("maxWait: "+c.value)+minimal, Flags{})
		if want := "gate.yaml:1: gates.shop.maxWait: " + c.want; len(faults) != 1 || faults[0] != want {
			t.Errorf("maxWait: %s\n have %q\n want %q", c.value, faults, want)
		}
	}
	if c := good(t, gateOf("maxWait: 0")); c.Gates[0].MaxWait != 0 {
		t.Errorf("maxWait: 0 is %s", c.Gates[0].MaxWait)
	}
	for _, key := range []string{"maxTimeout: 0", "listeners: [{address: ':1', idleTimeout: 0s}]", "upstreams: {a: {endpoints: [http://a], dialTimeout: 0}}\nversion: 1\n#"} {
		_, faults := loadFile(t, key+minimal, Flags{})
		if !slices.ContainsFunc(faults, func(f string) bool { return strings.Contains(f, "want a duration above 0") }) {
			t.Errorf("a 0 that is not documented, %s: %q", key, faults)
		}
	}
}

func TestB29CommandLine(t *testing.T) {
	for _, s := range []string{"600", "1.5", "10 s", "-5s", ""} {
		_, err := Load(Flags{Upstream: given("http://a"), MaxWait: given(s)})
		if err == nil || !strings.HasPrefix(err.Error(), "--max-wait: want a duration") || !strings.Contains(err.Error(), "needs a unit") {
			t.Errorf("--max-wait=%q: %v", s, err)
		}
	}
}

func TestB29SizesAndPartsNeedUnits(t *testing.T) {
	for _, c := range []struct{ key, value, want string }{
		{"maxQueueBytes", "65536", "want a size; it needs a unit right behind a whole number, such as 64KiB or 10MB, have 65536"},
		{"maxQueueBytes", "1.5MiB", "want a size; it needs a unit right behind a whole number, such as 64KiB or 10MB, have 1.5MiB"},
		{"maxQueueBytes", "64 KiB", "want a size; it needs a unit right behind a whole number, such as 64KiB or 10MB, have 64 KiB"},
		{"maxQueueBytes", "64kib", "want a size; it needs a unit right behind a whole number, such as 64KiB or 10MB, have 64kib"},
		{"maxQueueBytes", "-1KiB", "want a size; it needs a unit right behind a whole number, such as 64KiB or 10MB, have -1KiB"},
		{"maxQueueBytes", "99999999999GiB", "want a size; it needs a unit right behind a whole number, such as 64KiB or 10MB, have 99999999999GiB"},
		{"maxQueueBytes", "2048GiB", "want a size from 0 to 1024GiB, have 2048GiB"},
		{"recover.below", "20", "want a part from 0% to 100%, with its sign, have 20"},
		{"recover.below", "0.2", "want a part from 0% to 100%, with its sign, have 0.2"},
		{"recover.below", "20 %", "want a part from 0% to 100%, with its sign, have 20 %"},
		{"shares.SHEDDABLE", "10", "want a part from 0% to 100%, with its sign, have 10"},
		{"shares.SHEDDABLE", "10.5%", "want a whole number of percent, have 10.5%"},
	} {
		key := c.key + ": " + c.value
		if outer, inner, ok := strings.Cut(c.key, "."); ok {
			key = outer + ": {" + inner + ": " + c.value + "}"
		}
		_, faults := loadFile(t, gateOf(key)+minimal, Flags{})
		if want := "gate.yaml:1: gates.shop." + c.key + ": " + c.want; len(faults) != 1 || faults[0] != want {
			t.Errorf("%s\n have %q\n want %q", key, faults, want)
		}
	}
}

func TestB18ZeroAndAbsent(t *testing.T) {
	absent := good(t, "").Gates[0]
	if g := absent.Plimsoll(); absent.Limit != 0 || g.Limit == nil || absent.MaxQueue != Unbounded || g.MaxQueue != 0 || g.MaxWait != newGate("").MaxWait {
		t.Errorf("absent: %+v", absent)
	}
	zero := good(t, "timeout: 0\nhopMargin: 0\ndrain: {timeout: 0}\nlisteners: [{address: ':80', maxConnections: 0}]\n"+
		gateOf("maxWait: 0s, maxQueue: 0, maxStreams: 0, maxQueueBytes: 0"))
	if g := zero.GateConfig("shop"); g.MaxWait >= 0 || g.MaxQueue >= 0 || g.MaxStreams >= 0 || g.MaxQueueBytes != 0 {
		t.Errorf("zero has become a default: %+v", g)
	}
	if zero.Timeout != 0 || zero.Routes[0].Timeout != 0 || zero.HopMargin != 0 || zero.Drain.Timeout != 0 || zero.Listeners[0].MaxConnections != 0 {
		t.Errorf("zero has become a default: %+v", zero)
	}
	for _, key := range []string{gateOf("limit: 0"), "listeners: [{address: ':80', maxStreams: 0}]", "upstreams: {shop: {endpoints: [http://a], ejection: {failures: 0}}}\nversion: 1\n#"} {
		if _, faults := loadFile(t, key+minimal, Flags{}); len(faults) == 0 {
			t.Errorf("%s: no fault", key)
		}
	}
}

func TestH04H19Numbers(t *testing.T) {
	const want = "gate.yaml:1: gates.shop.limit: want auto or a whole number from 1 to 1048576, have "
	for value, shown := range map[string]string{
		"0": "0", "-1": "-1", "1e9": "1e9", ".nan": ".nan", ".inf": ".inf", "null": "nothing", "'10'": `"10"`,
		"1.5": "1.5", "0x10": "0x10", "1_000": "1_000", "+5": "+5", "99999999999999999999": "99999999999999999999",
		"Auto": "Auto", "[1]": "a list", "true": "true", "1048577": "1048577",
	} {
		_, faults := loadFile(t, gateOf("limit: "+value)+minimal, Flags{})
		if len(faults) != 1 || faults[0] != want+shown {
			t.Errorf("limit: %s\n have %q\n want %q", value, faults, want+shown)
		}
	}
	for _, value := range []string{"0", "NaN", "-1", "1e9", "", "ten"} {
		_, err := Load(Flags{Upstream: given("http://a"), Limit: given(value)})
		if err == nil || !strings.HasPrefix(err.Error(), "--limit: want auto or a whole number") {
			t.Errorf("--limit=%q: %v", value, err)
		}
	}
}

// No part of a whole is anything but a number from 0 to 100.
func TestH04Parts(t *testing.T) {
	for _, value := range []string{"NaN%", "Inf%", "-Inf%", "1e309%", ".nan", ".inf", "-.inf", "1e309", "101%", "-1%", "100.0001%", "1e1%", "'%'", "''", "null", "0x10%"} {
		_, faults := loadFile(t, gateOf("recover: {below: "+value+"}")+minimal, Flags{})
		if len(faults) != 1 || !strings.HasPrefix(faults[0], "gate.yaml:1: gates.shop.recover.below: want a part from 0% to 100%, with its sign, have ") {
			t.Errorf("below: %s: %q", value, faults)
		}
	}
}

func TestH19EveryFaultAtOnce(t *testing.T) {
	_, faults := loadFile(t, `
version: 2
maxtimeout: 2s
gats: {}
timeout: 3s
timeout: 4s
gates:
  shop: {minLimit: 20, maxLimit: 10}
  fixed: {limit: 3, minLimit: 2}
  shpo: {order: random}
listeners:
  - address: 8080
    maxheaderbytes: 4KiB
  - {tls: {certificate: a.pem}}
  - address: 127.0.0.1:9090
upstreams:
  shop:
    endpoints: [ftp://somewhere, http://a, http://a]
    tls: {certificate: a.pem}
  none: {}
  "no name": {endpoints: []}
classes:
  free: {criticality: VERY, claims: {public: CRITICAL, trusted: SHEDDABLE, from: [cookie]}}
routes:
  - match: {path: checkout, metods: [GET]}
    upstream: shop
    gate: fixd
    class: fre
  - {upstream: shop, timeout: 40s, match: {headers: {X-Plan: gold, x-plan: free}}}
  - {name: all, upstream: shop}
  - {name: all, match: {path: /a}, upstream: shop}
statusWhenFull: 500
trust: {everyone: yes, networks: [10.0.0.0/8, somewhere], keys: [{id: a, file: a}, {id: a}]}
exempt: /healthz
`, Flags{Timeout: given("1")})
	want := []string{
		"gate.yaml:2: version: want 1, have 2",
		"gate.yaml:3: maxtimeout: want a known key; did you mean maxTimeout?",
		"gate.yaml:4: gats: want a known key; did you mean gates?",
		"gate.yaml:6: timeout: want the key once; it stands in line 5 already",
		"gate.yaml:8: gates.shop.minLimit: want minLimit at most maxLimit, have 20 and 10",
		"gate.yaml:9: gates.fixed.minLimit: want limit: auto with it; the limit is fixed at 3",
		"gate.yaml:10: gates.shpo.order: want adaptive, oldest_first, newest_first or earliest_deadline, have random",
		"gate.yaml:12: listeners[0].address: want host:port or :port, such as 127.0.0.1:8080 or :8080, have 8080",
		"gate.yaml:13: listeners[0].maxheaderbytes: want a known key; did you mean maxHeaderBytes?",
		"gate.yaml:14: listeners[1].tls.key: want the file of the certificate's key, such as server.key",
		"gate.yaml:14: listeners[1].address: want host:port or :port, such as :8080",
		"gate.yaml:15: listeners[2].address: want another address than that of admin, 127.0.0.1:9090",
		"gate.yaml:18: upstreams.shop.endpoints[0]: want http://, https:// or h2c:// and a host, such as http://127.0.0.1:8081, and nothing behind it, have ftp://somewhere",
		"gate.yaml:18: upstreams.shop.endpoints[2]: want each endpoint once, have http://a again",
		"gate.yaml:19: upstreams.shop.tls: want certificate and key, both or neither",
		"gate.yaml:20: upstreams.none.endpoints: want where the service is, such as [http://127.0.0.1:8081]",
		"gate.yaml:21: upstreams.no name: want a name of letters, digits, - and _, 64 at most",
		"gate.yaml:21: upstreams.no name.endpoints: want at least one endpoint",
		"gate.yaml:23: classes.free.criticality: want CRITICAL_PLUS, CRITICAL, SHEDDABLE_PLUS or SHEDDABLE, have VERY",
		"gate.yaml:23: classes.free.claims.from[0]: want header, baggage, sec-purpose or priority, have cookie",
		"gate.yaml:25: routes[0].match.path: want a path that begins with / and has * at its end or as a whole segment, such as /api/* or /users/*/orders, have checkout",
		"gate.yaml:25: routes[0].match.metods: want a known key; did you mean methods?",
		"gate.yaml:27: routes[0].gate: want a name that stands under gates (shop, none, no name, fixed, shpo), have fixd; did you mean fixed?",
		"gate.yaml:28: routes[0].class: want a name that stands under classes (default, free), have fre; did you mean free?",
		"gate.yaml:29: routes[1].match.headers.x-plan: want each header once, whatever its case",
		"gate.yaml:29: routes[1].timeout: want timeout at most maxTimeout, have 40s and 30s",
		"gate.yaml:31: routes[3].name: want each route with a name of its own; there is a route all already",
		"gate.yaml:31: routes[3]: want a place before routes[2], which takes everything that gets there",
		"gate.yaml:32: statusWhenFull: want 503 or 429, have 500",
		"gate.yaml:33: trust.everyone: want true or false, have yes",
		"gate.yaml:33: trust.networks[1]: want an address or a network, such as 10.0.0.0/8 or ::1, have somewhere",
		"gate.yaml:33: trust.keys[1].file: want the file with the key, such as edge-1.key",
		"gate.yaml:33: trust.keys[1].id: want each id once, have a again",
		"gate.yaml:34: exempt: want a list of paths, have /healthz",
		"--timeout: want a duration that is not negative; it needs a unit right behind the number, such as 500ms, 2s or 1h30m, have 1",
	}
	if !slices.Equal(faults, want) {
		t.Errorf("have\n%s\nwant\n%s", strings.Join(faults, "\n"), strings.Join(want, "\n"))
	}
}

func TestH19WholeFiles(t *testing.T) {
	const upstream = "gate.yaml: upstreams: want the service to protect, such as {shop: {endpoints: [http://127.0.0.1:8081]}}"
	for _, c := range []struct {
		name, text string
		want       []string
	}{
		{"empty", "", []string{"gate.yaml: want settings; the file is empty"}},
		{"only a comment", "# nothing\n", []string{"gate.yaml: want settings; the file is empty"}},
		{"null", "---\n", []string{"gate.yaml: want settings; the file is empty"}},
		{"a word", "hello\n", nil},
		{"a list", "- version: 1\n", nil},
		{"no upstream", "version: 1\n", []string{upstream}},
		{"no upstreams", "version: 1\nupstreams: {}\n", []string{upstream}},
		{"empty lists", "listeners: []\nroutes: []" + minimal, []string{"gate.yaml:1: listeners: want at least one listener", "gate.yaml:2: routes: want at least one route"}},
		{"no version", "upstreams: {a: {endpoints: [http://a]}}\n", []string{"gate.yaml:1: version: want version: 1, so that the file is still understood when the format changes"}},
		{"two documents", minimal + "---\nversion: 1\n", []string{"gate.yaml:4: want one document; another begins here"}},
		{"several and no routes", "version: 1\nupstreams: {a: {endpoints: [http://a]}, b: {endpoints: [http://b]}}\n", []string{"gate.yaml: routes: want routes that say which requests go to which of a, b"}},
		{"a gate of nobody", gateOf("limit: 1") + minimal + "gates: {shpo: {}}", nil},
		{"a gate of nobody", "gates: {shpo: {}}" + minimal, []string{"gate.yaml:1: gates.shpo: want a route that says gate: shpo, or an upstream of that name; did you mean shop?"}},
		{"what the gate refuses", gateOf("shares: {CRITICAL: 60%, SHEDDABLE: 50%}") + minimal, []string{"gate.yaml:1: gates.shop.shares: want 100% at most together, have 110%"}},
		{"a merge", "<<: {version: 1}" + minimal, nil},
		{"a tab", "version: 1\n\tlimit: 3\n", nil},
		{"an open bracket", "version: 1\nupstream: http://a\nexempt: [/a\n", nil},
	} {
		_, faults := loadFile(t, c.text, Flags{})
		switch {
		case c.want != nil && !slices.Equal(faults, c.want):
			t.Errorf("%s: have\n%s\nwant\n%s", c.name, strings.Join(faults, "\n"), strings.Join(c.want, "\n"))
		case len(faults) == 0 || !strings.HasPrefix(faults[0], "gate.yaml"):
			t.Errorf("%s: have %q", c.name, faults)
		}
	}
	if _, err := Load(Flags{Config: "/does/not/exist.yaml"}); err == nil || err.Error() != "/does/not/exist.yaml: want a file that can be read: no such file or directory" {
		t.Errorf("a file that is not there: %v", err)
	}
	if _, err := Load(Flags{}); err == nil || err.Error() != "--upstream: want the service to protect, such as http://127.0.0.1:8081" {
		t.Errorf("nothing given: %v", err)
	}
}

// A variable that looks like a setting and is none.
func TestH19EnvironmentThatNothingReads(t *testing.T) {
	for _, name := range []string{"PLIMSOLL_PORT_8080_TCP", "PLIMSOLL_SERVICE_HOST", "PLIMSOLL_ADMIN_PORT", "LIMIT"} {
		t.Setenv(name, "1")
	}
	if _, err := Load(Flags{Upstream: given("http://a")}); err != nil {
		t.Errorf("variables that are somebody else's: %v", err)
	}
	t.Setenv("PLIMSOLL_LIMIT", "64")
	t.Setenv("PLIMSOLL_MAX_WAIT", "")
	t.Setenv("PLIMSOLL_CONFIG", "gate.yaml")
	const want = "PLIMSOLL_CONFIG: want --config, or the key in a file; nothing is read from the environment\n" +
		"PLIMSOLL_LIMIT: want --limit, or the key in a file; nothing is read from the environment\n" +
		"PLIMSOLL_MAX_WAIT: want --max-wait, or the key in a file; nothing is read from the environment"
	if _, err := Load(Flags{Upstream: given("http://a")}); err == nil || err.Error() != want {
		t.Errorf("have %v", err)
	}
}

// Of a bad file nothing can be applied, not even half.
func TestB58BadFileIsNoSettings(t *testing.T) {
	for _, text := range []string{gateOf("limit: 5, maxWiat: 1s") + minimal, "timeout: 1" + minimal, "", "version: 1\nupstreams: {", "routes: [{upstream: b}]" + minimal} {
		c, faults := loadFile(t, text, Flags{})
		if faults == nil || !reflect.DeepEqual(c, Config{}) {
			t.Errorf("%q is read as %+v, %q", text, c, faults)
		}
	}
}

// A key that belongs elsewhere is told where.
func TestH19KeysOfElsewhere(t *testing.T) {
	for text, want := range map[string]string{
		"limit: 64":                   "gate.yaml:1: limit: want it under gates.NAME",
		"maxWait: 1s":                 "gate.yaml:1: maxWait: want it under gates.NAME",
		"endpoints: [http://a]":       "gate.yaml:1: endpoints: want it under upstreams.NAME",
		"idleTimeout: 1s":             "gate.yaml:1: idleTimeout: want it under listeners[] or upstreams.NAME",
		"readHeaderTimeout: 1s":       "gate.yaml:1: readHeaderTimeout: want it under listeners[]",
		"levelHeader: X-User":         "gate.yaml:1: levelHeader: want it under classes.NAME",
		"upstream: http://a":          "gate.yaml:1: upstream: want a known key; did you mean upstreams?",
		"rules: []":                   "gate.yaml:1: rules: want a known key; did you mean routes?",
		"trusted: true":               "gate.yaml:1: trusted: want a known key; did you mean trust?",
		"gates: {shop: {timeout: 1}}": "gate.yaml:1: gates.shop.timeout: want it under the file itself or routes[] or drain",
	} {
		if _, faults := loadFile(t, text+minimal, Flags{}); len(faults) != 1 || faults[0] != want {
			t.Errorf("%s\n have %q\n want %q", text, faults, want)
		}
	}
}

// Every fault of a cache at once.
func TestH19CacheFaults(t *testing.T) {
	_, faults := loadFile(t, `routes:
  - {name: a, match: {path: /a}, stream: true, cache: {staleIfError: 1m}}
  - {name: b, match: {path: /b}, cache: {staleIfError: 10, staleWhileRevalidate: -1s, staleIf: 1m}}
  - {name: c, match: {path: /c}, cache: on}
cache: {bytes: 1MiB, objectBytes: 2MiB, entries: 0, variants: 2000, fetchTimeout: 0, refreshes: none}
`+minimal, Flags{})
	for _, want := range []string{
		"routes[0].cache: want either cache or stream: true; a stream is not stored",
		"routes[1].cache.staleIfError: want a duration",
		"routes[1].cache.staleWhileRevalidate: want a duration",
		"routes[1].cache.staleIf: want a known key",
		"routes[2].cache: want keys with values",
		"cache.entries: want a whole number from 1",
		"cache.variants: want a whole number from 1 to 1024",
		"cache.fetchTimeout: want a duration above 0",
		"cache.refreshes: want a whole number",
	} {
		if !slices.ContainsFunc(faults, func(f string) bool { return strings.Contains(f, want) }) {
			t.Errorf("no %q in %q", want, faults)
		}
	}
	_, faults = loadFile(t, "cache: {bytes: 1MiB, objectBytes: 2MiB}"+minimal, Flags{})
	if want := "gate.yaml:1: cache.objectBytes: want objectBytes at most bytes, have 2MiB and 1MiB"; len(faults) != 1 || faults[0] != want {
		t.Errorf("have %q", faults)
	}
	if c := good(t, "routes: [{cache: {}}]"); c.Routes[0].Cache != (RouteCache{On: true}) {
		t.Errorf("%+v", c.Routes[0])
	}
}

// What net/http takes out of a request's headers is never found there: a route
// that asks for it would match nothing, and a class have no tenants.
func TestHeadersThatNoRequestHas(t *testing.T) {
	_, faults := loadFile(t, `version: 1
upstreams: {shop: {endpoints: [http://shop]}}
timeoutHeader: trailer
classes: {a: {tenantHeader: Host, levelHeader: X-User}}
routes:
  - {name: b, class: a, match: {headers: {host: shop.example, X-Plan: gold}}}
  - {name: c, match: {headers: {Transfer-Encoding: chunked}}}
`, Flags{})
	want := []string{
		"gate.yaml:3: timeoutHeader: want another header; this one is no longer among those of a request when it is looked at, have trailer",
		"gate.yaml:4: classes.a.tenantHeader: want another header; this one is no longer among those of a request when it is looked at, have Host",
		"gate.yaml:6: routes[0].match.headers.host: want host beside headers, such as match: {host: shop.example}; no request has this among its headers",
		"gate.yaml:7: routes[1].match.headers.Transfer-Encoding: want another header; no request has this one when it is looked at",
	}
	if !slices.Equal(faults, want) {
		t.Errorf("have %s", strings.Join(faults, "\n"))
	}
}

// An endpoint that stands there twice would get twice its share.
func TestEndpointsInOtherWords(t *testing.T) {
	for list, twice := range map[string]bool{
		"http://shop, http://SHOP:80":             true,
		"https://shop:443, https://shop":          true,
		"h2c://shop, h2c://shop:80":               true,
		"'http://[::1]:80', 'http://[::1]'":       true,
		"http://shop, https://shop":               false,
		"http://shop, h2c://shop":                 false,
		"http://shop, http://shop:443":            false,
		"http://shop:8081, http://shop:8082":      false,
		"http://shop.a, http://shop.b, http://sh": false,
	} {
		_, faults := loadFile(t, "version: 1\nupstreams: {shop: {endpoints: ["+list+"]}}\n", Flags{})
		if is := len(faults) == 1 && strings.Contains(faults[0], "endpoints[1]: want each endpoint once"); is != twice || !twice && len(faults) > 0 {
			t.Errorf("%s: %q", list, faults)
		}
	}
}
