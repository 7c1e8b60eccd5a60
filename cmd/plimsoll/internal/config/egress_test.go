package config

import (
	"math"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/plimsoll-go/plimsoll/breaker"
	"github.com/plimsoll-go/plimsoll/client"
	"github.com/plimsoll-go/plimsoll/retry"
	"github.com/plimsoll-go/plimsoll/throttle"
)

// shopWith is a file whose upstream has these keys.
func shopWith(keys string) string {
	return "version: 1\nupstreams: {shop: {endpoints: [http://a], " + keys + "}}\n"
}

// only are the settings of such a file.
func only(t *testing.T, keys string) Config {
	t.Helper()
	c, faults := loadFile(t, shopWith(keys), Flags{})
	if faults != nil {
		t.Fatalf("%s: %s", keys, strings.Join(faults, "\n"))
	}
	return c
}

// What a file says of calls is what the client makes of it: absent is not 0,
// and 0 is no default.
func TestB18ClientOfAnUpstream(t *testing.T) {
	tenth := &retry.BudgetConfig{Share: 0.1, Reserve: 1}
	three := retry.Policy{Attempts: 3, Backoff: retry.Backoff{Base: 25 * time.Millisecond, Max: 250 * time.Millisecond}}
	once := retry.Policy{Attempts: 1}
	for _, c := range []struct {
		keys string
		want client.Config
	}{
		{"retries: {}", client.Config{Retry: three, Budget: tenth}},
		{"retries: {budget: 0%, reserve: 0}", client.Config{Retry: three, Budget: &retry.BudgetConfig{Share: -1}}},
		{"retries: {backoff: 0}", client.Config{Retry: retry.Policy{Attempts: 3, Backoff: retry.Backoff{Max: 250 * time.Millisecond}}, Budget: tenth}},
		{"breaker: {}", client.Config{Retry: once, Breaker: &breaker.Config{
			Failures: 5, Share: 0.5, Window: 10 * time.Second, Samples: 20, Open: 5 * time.Second, Probes: 1}}},
		{"breaker: {consecutive: 0}", client.Config{Retry: once, Breaker: &breaker.Config{
			Share: 0.5, Window: 10 * time.Second, Samples: 20, Open: 5 * time.Second, Probes: 1}}},
		{"breaker: {consecutive: 0, failures: 0%, slow: 1s}", client.Config{Retry: once, Breaker: &breaker.Config{
			Failures: math.MaxInt, Window: 10 * time.Second, Samples: 20, Slow: time.Second, SlowShare: 0.5, Open: 5 * time.Second, Probes: 1}}},
		{"throttle: {}", client.Config{Retry: once, Throttle: &throttle.Config{K: 2, Window: 2 * time.Minute}}},
		{"throttle: {k: 1.1}", client.Config{Retry: once, Throttle: &throttle.Config{K: 1.1, Window: 2 * time.Minute}}},
	} {
		have, any := only(t, c.keys).Upstreams[0].Client()
		if !any || !reflect.DeepEqual(have, c.want) {
			t.Errorf("%s\n have %+v\n want %+v", c.keys, have, c.want)
		}
		if err := have.Validate(); err != nil {
			t.Errorf("%s: %v", c.keys, err)
		}
	}
	if _, any := only(t, "idleTimeout: 1s").Upstreams[0].Client(); any {
		t.Error("there is a client where nothing was said")
	}
}

func TestFaultsOfCalls(t *testing.T) {
	for _, c := range []struct{ keys, want string }{
		{"retries: {attempts: 1}", "retries.attempts: want a whole number from 2 to 16, have 1"},
		{"retries: {budget: 10}", "retries.budget: want a part from 0% to 100%, with its sign, have 10"},
		{"retries: {bodies: 64}", "retries.bodies: want a size; it needs a unit right behind a whole number, such as 64KiB or 10MB, have 64"},
		{"retries: {backoff: 1s}", "retries.backoff: want backoff at most maxBackoff, have 1s and 250ms"},
		{"retries: {causes: []}", "retries.causes: want at least one trouble"},
		{"retries: {causes: [connect, connect]}", "retries.causes[1]: want each of them once, have connect again"},
		{"retries: {causes: [429]}", "retries.causes[0]: want connect, broken, timeout, 500, 502, 503 or 504, have 429"},
		{"retries: {causes: [timeout]}", "retries.causes: want attemptTimeout with it, without which no attempt times out"},
		{"retries: {methods: [get]}", "retries.methods[0]: want GET, HEAD, OPTIONS, TRACE, PUT, DELETE, POST or PATCH, have get"},
		{"breaker: {open: 0}", "breaker.open: want a duration above 0, have 0"},
		{"breaker: {consecutive: 0, failures: 0%}", "breaker: want consecutive, failures or slow, one of them above 0, or it never opens"},
		{"breaker: {slowShare: 20%}", "breaker.slowShare: want a slow with it that says what is slow"},
		{"breaker: {slow: 1s, slowShare: 0%}", "breaker.slowShare: want a part above 0%, or slow: 0"},
		{"throttle: {k: 0.5}", "throttle.k: want a number from 1 to 1000000, have 0.5"},
		{"throttle: {k: .nan}", "throttle.k: want a number from 1 to 1000000, have .nan"},
		{"throttle: {over: 30}", "throttle.over: want a duration that is not negative; it needs a unit right behind the number, such as 500ms, 2s or 1h30m, have 30"},
	} {
		_, faults := loadFile(t, shopWith(c.keys), Flags{})
		if want := "gate.yaml:2: upstreams.shop." + c.want; len(faults) != 1 || faults[0] != want {
			t.Errorf("%s\n have %q\n want %q", c.keys, faults, want)
		}
	}
	_, faults := loadFile(t, shopWith("retries: {attempts: 0, budget: 5, retrise: 1}, breaker: {probes: 0}"), Flags{})
	if len(faults) != 4 {
		t.Errorf("not all at once: %s", strings.Join(faults, "\n"))
	}
}
