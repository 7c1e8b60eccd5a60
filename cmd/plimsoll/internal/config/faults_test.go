package config

import (
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
		_, faults := load(t, "maxWait: "+c.value+minimal, Flags{})
		if want := "gate.yaml:1: maxWait: " + c.want; len(faults) != 1 || faults[0] != want {
			t.Errorf("maxWait: %s\n have %q\n want %q", c.value, faults, want)
		}
	}
	if c := good(t, "maxWait: 0"); c.MaxWait != 0 {
		t.Errorf("maxWait: 0 is %s", c.MaxWait)
	}
	_, faults := load(t, "maxTimeout: 0"+minimal, Flags{})
	if len(faults) != 1 || !strings.Contains(faults[0], "maxTimeout: want a duration above 0") {
		t.Errorf("a 0 that is not documented: %q", faults)
	}
}

func TestB29CommandLine(t *testing.T) {
	for _, s := range []string{"600", "1.5", "10 s", "-5s", ""} {
		_, err := Load(Flags{Upstream: text("http://a"), MaxWait: text(s)})
		if err == nil || !strings.HasPrefix(err.Error(), "--max-wait: want a duration") || !strings.Contains(err.Error(), "needs a unit") {
			t.Errorf("--max-wait=%q: %v", s, err)
		}
	}
}

func TestB18ZeroAndAbsent(t *testing.T) {
	absent := good(t, "")
	if absent.Limit != 0 || absent.Gate().Limit == nil || absent.MaxQueue != Unbounded || absent.Gate().MaxQueue != 0 {
		t.Errorf("absent: %+v", absent)
	}
	if absent.Gate().MaxWait != Default().MaxWait {
		t.Errorf("absent maxWait: %s", absent.Gate().MaxWait)
	}
	zero := good(t, "maxWait: 0s\nmaxQueue: 0\nmaxStreams: 0\ntimeout: 0\nhopMargin: 0\ndrainTimeout: 0")
	if g := zero.Gate(); g.MaxWait >= 0 || g.MaxQueue >= 0 || g.MaxStreams >= 0 {
		t.Errorf("zero has become a default: %+v", g)
	}
	if zero.Timeout != 0 {
		t.Errorf("timeout: 0 is %s", zero.Timeout)
	}
	_, faults := load(t, "limit: 0"+minimal, Flags{})
	if len(faults) != 1 {
		t.Errorf("limit: 0 gave %q", faults)
	}
}

func TestH04H19Numbers(t *testing.T) {
	const want = "gate.yaml:1: limit: want auto or a whole number from 1 to 1048576, have "
	for value, shown := range map[string]string{
		"0": "0", "-1": "-1", "1e9": "1e9", ".nan": ".nan", ".inf": ".inf", "null": "nothing", "'10'": `"10"`,
		"1.5": "1.5", "0x10": "0x10", "1_000": "1_000", "+5": "+5", "99999999999999999999": "99999999999999999999",
		"Auto": "Auto", "[1]": "a list", "true": "true", "1048577": "1048577",
	} {
		_, faults := load(t, "limit: "+value+minimal, Flags{})
		if len(faults) != 1 || faults[0] != want+shown {
			t.Errorf("limit: %s\n have %q\n want %q", value, faults, want+shown)
		}
	}
	for _, value := range []string{"0", "NaN", "-1", "1e9", "", "ten"} {
		_, err := Load(Flags{Upstream: text("http://a"), Limit: text(value)})
		if err == nil || !strings.HasPrefix(err.Error(), "--limit: want auto or a whole number") {
			t.Errorf("--limit=%q: %v", value, err)
		}
	}
}

func TestH19EveryFaultAtOnce(t *testing.T) {
	_, faults := load(t, `
version: 2
maxwait: 2s
limt: auto
limit: 3
limit: 4
minLimit: 20
maxLimit: 10
listen: 8080
upstream: ftp://somewhere
statusWhenFull: 500
trusted: yes
trustedNetworks: [10.0.0.0/8, somewhere]
order: random
rules:
  - path: checkout
    criticality: VERY
    metods: [GET]
  - methods: [GET]
  - {path: /a, criticality: sheddable, headers: {X-Plan: gold, x-plan: free}}
exempt: /healthz
timeout: 40s
`, Flags{MaxQueue: text("-1")})
	want := []string{
		"gate.yaml:2: version: want 1, have 2",
		"gate.yaml:3: maxwait: want a known key; did you mean maxWait?",
		"gate.yaml:4: limt: want a known key; did you mean limit?",
		"gate.yaml:6: limit: want the key once; it stands in line 5 already",
		"gate.yaml:7: minLimit: want minLimit at most maxLimit, have 20 and 10",
		"gate.yaml:7: minLimit: want limit: auto with it; the limit is fixed at 3",
		"gate.yaml:8: maxLimit: want limit: auto with it; the limit is fixed at 3",
		"gate.yaml:9: listen: want host:port or :port, such as 127.0.0.1:8080 or :8080, have 8080",
		"gate.yaml:10: upstream: want http://, https:// or h2c:// and a host, such as http://127.0.0.1:8081, have ftp://somewhere",
		"gate.yaml:11: statusWhenFull: want 503 or 429, have 500",
		"gate.yaml:12: trusted: want true or false, have yes",
		"gate.yaml:13: trustedNetworks[1]: want an address or a network, such as 10.0.0.0/8 or ::1, have somewhere",
		"gate.yaml:14: order: want adaptive, oldest_first, newest_first or earliest_deadline, have random",
		"gate.yaml:16: rules[0].path: want a path that begins with / and has * at its end or as a whole segment, such as /api/* or /users/*/orders, have checkout",
		"gate.yaml:17: rules[0].criticality: want CRITICAL_PLUS, CRITICAL, SHEDDABLE_PLUS or SHEDDABLE, have VERY",
		"gate.yaml:18: rules[0].metods: want a known key; did you mean methods?",
		"gate.yaml:19: rules[1]: want a criticality, or stream: true; without one the rule does nothing",
		"gate.yaml:20: rules[2].headers.x-plan: want each header once, whatever its case",
		"gate.yaml:21: exempt: want a list of paths, have /healthz",
		"gate.yaml:22: timeout: want timeout at most maxTimeout, have 40s and 30s",
		"--max-queue: want auto or a whole number from 0 to 1048576, have -1",
	}
	if !slices.Equal(faults, want) {
		t.Errorf("have\n%s\nwant\n%s", strings.Join(faults, "\n"), strings.Join(want, "\n"))
	}
}

func TestH19WholeFiles(t *testing.T) {
	upstream := "gate.yaml: upstream: want the service to protect, such as http://127.0.0.1:8081"
	for _, c := range []struct {
		name, text string
		want       []string
	}{
		{"empty", "", []string{"gate.yaml: want settings; the file is empty", upstream}},
		{"only a comment", "# nothing\n", []string{"gate.yaml: want settings; the file is empty", upstream}},
		{"null", "---\n", []string{"gate.yaml: want settings; the file is empty", upstream}},
		{"a word", "hello\n", nil},
		{"a list", "- version: 1\n", nil},
		{"no upstream", "version: 1\n", []string{upstream}},
		{"no version", "upstream: http://a\n", []string{"gate.yaml:1: version: want version: 1, so that the file is still understood when the format changes"}},
		{"two documents", "version: 1\nupstream: http://a\n---\nversion: 1\n", []string{"gate.yaml:3: want one document; another begins here"}},
		{"a tab", "version: 1\n\tlimit: 3\n", nil},
		{"an open bracket", "version: 1\nupstream: http://a\nexempt: [/a\n", nil},
	} {
		_, faults := load(t, c.text, Flags{})
		switch {
		case c.want != nil && !slices.Equal(faults, c.want):
			t.Errorf("%s: have\n%s\nwant\n%s", c.name, strings.Join(faults, "\n"), strings.Join(c.want, "\n"))
		case len(faults) == 0 || !strings.HasPrefix(faults[0], "gate.yaml"):
			t.Errorf("%s: have %q", c.name, faults)
		}
	}
	if _, err := Load(Flags{Config: "/does/not/exist.yaml"}); err == nil || !strings.HasPrefix(err.Error(), "/does/not/exist.yaml: want a file that can be read: no such file") {
		t.Errorf("a file that is not there: %v", err)
	}
	if _, err := Load(Flags{}); err == nil || err.Error() != "--upstream: want the service to protect, such as http://127.0.0.1:8081" {
		t.Errorf("nothing given: %v", err)
	}
}
