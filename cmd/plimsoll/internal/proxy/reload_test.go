package proxy

import (
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/plimsoll-go/plimsoll"
	"github.com/plimsoll-go/plimsoll/cmd/plimsoll/internal/config"
	"github.com/plimsoll-go/plimsoll/cmd/plimsoll/internal/telemetry"
)

// gateOf is what a gate looks like now; false: there is none of that name.
func (r *rig) gateOf(name string) (plimsoll.Snapshot, bool) {
	for _, s := range r.Snapshots() {
		if s.Name == name {
			return s, true
		}
	}
	return plimsoll.Snapshot{}, false
}

// reload is a reload that succeeds.
func (r *rig) reload(text string) {
	r.Helper()
	r.write(text)
	if err := r.Reload(); err != nil {
		r.Fatal(err)
	}
}

// fill has n requests in flight and returns what they end with.
func (r *rig) fill(n int, path string, s *stuck) chan answer {
	r.Helper()
	out := make(chan answer, n)
	client := r.client()
	for range n {
		go func() {
			a, err := fetch(client, r.request(path))
			if err != nil {
				r.Error(err)
			}
			out <- a
		}()
	}
	for range n {
		select {
		case <-s.entered:
		case <-time.After(patience):
			r.Fatalf("fewer than %d got through: %v", n, r.brief())
		}
	}
	return out
}

func (r *rig) drained(results chan answer, n int, want int) {
	r.Helper()
	for range n {
		if a := <-results; a.Response == nil || a.StatusCode != want {
			r.Errorf("ended with %+v", a.Response)
		}
	}
}

const shop = `
upstreams: {shop: {endpoints: [http://shop]}}
gates: {shop: {limit: %d, maxQueue: 0}}
timeout: 60s
maxTimeout: 60s
`

// A hundred reloads a second of the same file: nobody gets through who would
// not have, nothing in flight is forgotten, and nothing is left over.
func TestB58SameFileChangesNothing(t *testing.T) {
	const held = 50
	backend := newStuck()
	text := fmt.Sprintf(shop, held)
	r := play(t, text, map[string]http.Handler{"shop": backend})
	results := r.fill(held, "/", backend)
	client := r.client()
	before, goroutines := r.Snapshot(), runtime.NumGoroutine()
	length := 10 * time.Second
	if testing.Short() {
		length = time.Second
	}
	beat := time.NewTicker(10 * time.Millisecond)
	defer beat.Stop()
	reloads, refused := uint64(0), uint64(0)
	for end := time.Now().Add(length); time.Now().Before(end); <-beat.C {
		r.reload(text)
		reloads++
		if reloads%10 == 0 {
			if a := r.send(client, r.request("/")); a.StatusCode != 503 {
				t.Fatalf("reload %d let a request through: %d", reloads, a.StatusCode)
			}
			refused++
		}
		if s := r.Snapshot(); s.InFlight != held {
			t.Fatalf("reload %d: %d in flight", reloads, s.InFlight)
		}
	}
	// Somebody may look meanwhile whether the callers leave.
	r.until("goroutines are as many as before", func() bool { return runtime.NumGoroutine() <= goroutines+held+3 })
	after := r.Snapshot()
	if got := after.Classes[2].Admitted - before.Classes[2].Admitted; got != 0 || backend.hits.Load() != held {
		t.Errorf("%d extra admitted, %d reached the service", got, backend.hits.Load())
	}
	if got := r.refused(plimsoll.Busy) + r.refused(plimsoll.QueueFull); got != refused {
		t.Errorf("%d refused, %d counted", refused, got)
	}
	if v := r.View().Reload; v.Good != reloads+1 || v.Bad != 0 || v.Fault != "" {
		t.Errorf("%d reloads: %+v", reloads, v)
	}
	close(backend.let)
	r.drained(results, held, 200)
}

// A lower limit holds at once for who arrives, and drains.
func TestB58LowerLimitDrains(t *testing.T) {
	backend := newStuck()
	r := play(t, fmt.Sprintf(shop, 10), map[string]http.Handler{"shop": backend})
	results := r.fill(10, "/", backend)
	r.reload(fmt.Sprintf(shop, 5))
	client := r.client()
	for left := 10; left > 4; left-- {
		s := r.Snapshot()
		if s.Limit != 5 || s.InFlight != left {
			t.Errorf("limit %d, %d in flight, want %d", s.Limit, s.InFlight, left)
		}
		if a := r.send(client, r.request("/")); a.StatusCode != 503 {
			t.Errorf("with %d in flight: answered %d", left, a.StatusCode)
		}
		backend.let <- struct{}{}
		r.drained(results, 1, 200)
		r.until("its slot is free", func() bool { return r.Snapshot().InFlight == left-1 })
	}
	more := r.fill(1, "/", backend)
	if s := r.Snapshot(); s.InFlight != 5 {
		t.Errorf("%d in flight", s.InFlight)
	}
	close(backend.let)
	r.drained(results, 4, 200)
	r.drained(more, 1, 200)
}

// A bad file leaves the old one in force, all of it, and says so.
func TestB58BadFileChangesNothing(t *testing.T) {
	backend := newStuck()
	close(backend.let)
	good := fmt.Sprintf(shop, 10) + "exempt: [/healthz]\n"
	r := play(t, good, map[string]http.Handler{"shop": backend})
	table := r.table.Load()
	client := r.client()
	for name, bad := range map[string]string{
		"a limit of nothing":        "upstreams: {shop: {endpoints: [http://shop]}}\ngates: {shop: {limit: 5, maxWiat: 1s}}\nexempt: [/all*]\n",
		"a route to nowhere":        "upstreams: {shop: {endpoints: [http://shop]}}\nroutes: [{upstream: elsewhere}]\n",
		"a certificate that is not": good + "listeners: [{address: ':8080', tls: {certificate: no.pem, key: no.key}}]\n",
		"no YAML":                   "upstreams: {shop: {",
	} {
		fails := r.metrics()[`plimsoll_config_reloads_total{result="failure"}`]
		r.write(bad)
		if a := r.post("/reload"); a.StatusCode != http.StatusUnprocessableEntity || !strings.Contains(a.body, "proxy.yaml:") {
			t.Errorf("%s: answered %d %q", name, a.StatusCode, a.body)
		}
		m := r.metrics()
		if m[`plimsoll_config_reloads_total{result="failure"}`] != fails+1 || m["plimsoll_config_last_reload_successful"] != 0 {
			t.Errorf("%s: %v failures, successful %v", name, m[`plimsoll_config_reloads_total{result="failure"}`], m["plimsoll_config_last_reload_successful"])
		}
		if fault := r.status().Reload.Fault; !strings.Contains(fault, "proxy.yaml:") {
			t.Errorf("%s: /status says %q", name, fault)
		}
		if s := r.Snapshot(); r.table.Load() != table || s.Limit != 10 {
			t.Errorf("%s: something is in force; limit %d", name, s.Limit)
		}
		if a := r.send(client, r.request("/all")); a.StatusCode != 200 {
			t.Errorf("%s: answered %d", name, a.StatusCode)
		}
	}
	r.reload(good)
	m := r.metrics()
	if m["plimsoll_config_last_reload_successful"] != 1 || m["plimsoll_config_last_reload_success_timestamp_seconds"] < float64(time.Now().Add(-time.Hour).Unix()) {
		t.Error("a good file is not said to be in force")
	}
	if fault := r.status().Reload.Fault; fault != "" {
		t.Errorf("/status still says %q", fault)
	}
}

// What runs on a route that is removed ends on it, and its gate is let go. One
// that comes back before has not forgotten it.
func TestB58RemovedRouteDrains(t *testing.T) {
	backend := newStuck()
	both := `
upstreams: {shop: {endpoints: [http://shop]}}
gates: {reports: {limit: 2, maxQueue: 0}}
routes: [{match: {path: /reports/*}, gate: reports}, {match: {path: /shop/*}}]
timeout: 60s
maxTimeout: 60s
`
	one := `
upstreams: {shop: {endpoints: [http://shop]}}
routes: [{match: {path: /shop/*}}]
`
	r := play(t, both, map[string]http.Handler{"shop": backend})
	results := r.fill(2, "/reports/1", backend)
	client := r.client()
	r.reload(one)
	if a := r.send(client, r.request("/reports/2")); a.StatusCode != 404 {
		t.Errorf("the route that was removed: %d", a.StatusCode)
	}
	if s, ok := r.gateOf("reports"); !ok || s.InFlight != 2 {
		t.Errorf("its gate: %v, %d in flight", ok, s.InFlight)
	}
	r.reload(both)
	if a := r.send(client, r.request("/reports/3")); a.StatusCode != 503 {
		t.Errorf("the route that came back: %d", a.StatusCode)
	}
	r.reload(one)
	close(backend.let)
	r.drained(results, 2, 200)
	r.until("the gate is let go", func() bool { _, there := r.gateOf("reports"); return !there })
}

// What the limit has learnt survives other bounds, and other settings.
func TestB58LearntLimitIsKept(t *testing.T) {
	auto := `
upstreams: {shop: {endpoints: [http://shop]}}
gates: {shop: {maxWait: %s, maxLimit: %d}}
`
	r := play(t, fmt.Sprintf(auto, "500ms", 4096), map[string]http.Handler{"shop": newStuck()})
	gate := r.gates.all()[0].Gate
	found := r.Snapshot().Limit
	r.reload(fmt.Sprintf(auto, "100ms", 4096))
	if got := r.Snapshot().Limit; got != found || r.gates.all()[0].Gate != gate {
		t.Errorf("limit %d became %d", found, got)
	}
	r.reload(fmt.Sprintf(auto, "100ms", 2000))
	if got := r.Snapshot().Limit; got != found {
		t.Errorf("with another bound, limit %d became %d", found, got)
	}
	r.reload(fmt.Sprintf(auto, "100ms", 7))
	if got := r.Snapshot().Limit; got != min(found, 7) {
		t.Errorf("with a bound of 7, limit %d became %d", found, got)
	}
}

// Ports are never changed silently.
func TestListenersWaitForARestart(t *testing.T) {
	text := fmt.Sprintf(shop, 10)
	r := play(t, text, map[string]http.Handler{"shop": newStuck()})
	r.reload(text + "name: other\nlisteners: [{address: '127.0.0.1:1'}]\n")
	want := []string{"name: other", "listeners[0]: 127.0.0.1:1"}
	if got := r.status().Reload.Restart; fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("/status says %q, want %q", got, want)
	}
	if log := r.log.String(); !strings.Contains(log, "restart") || !strings.Contains(log, "listeners[0]") {
		t.Errorf("logged: %s", log)
	}
	r.reload(text)
	if got := r.status().Reload.Restart; len(got) != 0 {
		t.Errorf("when it is taken back /status says %q", got)
	}
}

func TestUpstreamsKeepTheirConnections(t *testing.T) {
	backend := newStuck()
	close(backend.let)
	two := `
upstreams: {shop: {endpoints: [http://shop]%s}, other: {endpoints: [http://other]}}
routes: [{match: {path: /other}, upstream: other}, {upstream: shop}]
`
	r := play(t, fmt.Sprintf(two, ""), map[string]http.Handler{"shop": backend, "other": backend})
	before := r.table.Load().upstreams
	r.reload(fmt.Sprintf(two, ", idleTimeout: 10s"))
	after := r.table.Load().upstreams
	if after[0] == before[0] || after[1] != before[1] {
		t.Errorf("shop is another: %v, other is another: %v", after[0] != before[0], after[1] != before[1])
	}
}

// A file that has changed is loaded without being asked.
func TestFileIsWatched(t *testing.T) {
	r := play(t, fmt.Sprintf(shop, 10), map[string]http.Handler{"shop": newStuck()})
	if err := r.Watch(t.Context(), r.file); err != nil {
		t.Fatal(err)
	}
	r.write(fmt.Sprintf(shop, 7))
	r.until("the new limit is in force", func() bool { return r.Snapshot().Limit == 7 })
	r.write("nonsense: 1\n")
	r.until("its fault is known", func() bool { return r.View().Reload.Fault != "" })
	if s := r.Snapshot(); s.Limit != 7 {
		t.Errorf("limit %d", s.Limit)
	}
	r.write(fmt.Sprintf(shop, 8))
	r.until("it is mended", func() bool { return r.Snapshot().Limit == 8 && r.View().Reload.Fault == "" })
}

// What a configuration was refused for may be another file, which it alone names.
func TestFilesOfWhatWasRefusedAreWatched(t *testing.T) {
	r := play(t, fmt.Sprintf(shop, 10), map[string]http.Handler{"shop": newStuck()})
	if err := r.Watch(t.Context(), r.file); err != nil {
		t.Fatal(err)
	}
	key := filepath.Join(t.TempDir(), "edge.key") // in a folder that nobody watches yet
	mend := func(text string) {
		if err := os.WriteFile(key, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	mend("short")
	r.write(fmt.Sprintf(shop, 7) + "trust: {keys: [{id: edge, file: " + key + "}]}\n")
	r.until("its fault is known", func() bool { return r.View().Reload.Fault != "" })
	mend(strings.Repeat("k", 64))
	r.until("it is in force", func() bool { return r.Snapshot().Limit == 7 && r.View().Reload.Fault == "" })
}

func TestNoReloadWhileDraining(t *testing.T) {
	text := fmt.Sprintf(shop, 10)
	r := play(t, text, map[string]http.Handler{"shop": newStuck()})
	r.end()
	if err := r.Reload(); err == nil {
		t.Error("it has been reloaded")
	}
}

// post asks the admin port to do something.
func (r *rig) post(path string) answer {
	r.Helper()
	req, err := http.NewRequestWithContext(r.Context(), "POST", "http://"+r.AdminAddr()+path, nil)
	if err != nil {
		r.Fatal(err)
	}
	return r.send(r.client(), req)
}

// status is what /status says.
func (r *rig) status() telemetry.Status {
	v := r.View()
	return r.record.Status(&v, r.Ready())
}

// The files of the configuration are where nothing answers any more, such as a
// network drive, and somebody has them read again. The proxy ends all the same.
func TestDrainDoesNotWaitForFiles(t *testing.T) {
	var reading, answered atomic.Bool
	hung, over := make(chan struct{}), make(chan error, 1)
	c := config.For(config.Endpoint{Scheme: "http", Host: serve(t, named("shop"))})
	r := run(&rig{TB: t}, c, func() (config.Config, error) {
		reading.Store(true)
		<-hung
		answered.Store(true)
		return c, nil
	})
	go func() { over <- r.Reload() }()
	r.until("the files are read", reading.Load)
	r.end()
	if a := r.Ready(); a != "draining" {
		t.Errorf("ready: %q", a)
	}
	if answered.Load() {
		t.Error("it has waited")
	}
	close(hung)
	if err := <-over; !errors.Is(err, errDraining) {
		t.Errorf("the reload: %v", err)
	}
}
