package proxy

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/plimsoll-go/plimsoll/class"
	"github.com/plimsoll-go/plimsoll/cmd/plimsoll/internal/config"
	"github.com/plimsoll-go/plimsoll/httpgate"
	"github.com/plimsoll-go/plimsoll/sim"
	"github.com/plimsoll-go/plimsoll/sim/trace"
)

// recorded reads a trace as a whole.
func (r *rig) recorded(name string) []sim.Record {
	r.Helper()
	text, err := os.ReadFile(name)
	if err != nil {
		r.Fatal(err)
	}
	all, err := trace.Read(bytes.NewReader(text))
	if err != nil {
		r.Fatal(err)
	}
	return all
}

// into is where a test records.
func into(t testing.TB) config.Record {
	return config.Record{File: filepath.Join(t.TempDir(), "trace.csv"), MaxSize: 1 << 20, Keep: 3}
}

// What comes is written down as what it counts as: what is served, what is
// refused, what a breaker or a tier would answer; not what never asks a gate.
func TestRecordsWhatArrives(t *testing.T) {
	s := newStuck()
	to := into(t)
	r := play(t, `
record: {file: `+to.File+`}
upstreams: {shop: {endpoints: [http://shop]}}
gates: {shop: {limit: 1, maxQueue: 0}}
classes: {people: {tenantHeader: X-Tenant, claims: {public: CRITICAL_PLUS}}}
routes:
  - {name: pay, match: {path: /pay/*}, class: people, criticality: CRITICAL_PLUS}
  - {name: rest, match: {path: /shop/*}, class: people, timeout: 2s, maxTimeout: 5s}
exempt: [/shop/healthz]
`, map[string]http.Handler{"shop": s})
	client := r.client()
	first := make(chan answer)
	go func() {
		a, _ := fetch(client, r.request("/pay/1", "X-Tenant", "blue", "X-Request-Timeout-Ms", "1500"))
		first <- a
	}()
	<-s.entered
	refused := r.send(client, r.request("/shop/1", "X-Request-Criticality", "SHEDDABLE", "X-Request-Timeout-Ms", "3600000"))
	if refused.StatusCode != http.StatusServiceUnavailable {
		t.Errorf("answered %d", refused.StatusCode)
	}
	r.send(client, r.request("/nowhere"))
	s.let <- struct{}{}
	<-first
	close(s.let)
	r.send(client, r.request("/shop/healthz"))
	r.send(client, r.request("/shop/2", "X-Tenant", "blue"))
	r.end()

	all := r.recorded(to.File)
	if len(all) != 3 {
		t.Fatalf("have %+v", all)
	}
	for i := range all {
		if all[i].At < 0 || i > 0 && all[i].At <= all[i-1].At {
			t.Errorf("%d: at %s", i, all[i].At)
		}
		if served := i != 1; (all[i].Service > 0) != served {
			t.Errorf("%d: served %s", i, all[i].Service)
		}
		all[i].At, all[i].Service = 0, 0
	}
	want := []sim.Record{
		{Kind: "pay", Criticality: class.CriticalPlus, Tenant: all[0].Tenant, Deadline: 1500 * time.Millisecond},
		{Kind: "rest", Criticality: class.Sheddable, Deadline: 5 * time.Second},
		{Kind: "rest", Criticality: class.Critical, Tenant: all[0].Tenant},
	}
	if !slices.Equal(all, want) || all[0].Tenant == "" {
		t.Errorf("have %+v\nwant %+v", all, want)
	}
	m := r.log.all()
	if !strings.Contains(m, "msg=recorded") || !strings.Contains(m, "written=3 dropped=0 lost=0") {
		t.Errorf("the log has %s", m)
	}
}

// Nothing that a caller sends gets into the file, wherever it puts it.
func TestRecordsNothingPersonal(t *testing.T) {
	const secret = "Erika.Mustermann"
	for _, name := range []string{"trace.csv", "trace.ndjson"} {
		to := into(t)
		to.File = filepath.Join(filepath.Dir(to.File), name)
		r := play(t, `
record: {file: `+to.File+`}
trust: {everyone: true}
upstreams: {shop: {endpoints: [http://shop]}}
classes: {people: {tenantHeader: X-Tenant, levelHeader: X-User, claims: {public: CRITICAL_PLUS, from: [header, baggage, priority, sec-purpose]}}}
routes: [{name: all, class: people}]
`, map[string]http.Handler{"shop": http.HandlerFunc(trivial)})
		client := r.client()
		digits := "4915112345678" // a telephone number, as a number where one is read
		for _, headers := range [][]string{
			{"X-Tenant", secret}, {"X-User", secret}, {"X-Request-Criticality", secret}, {"Criticality", secret},
			{"X-Request-Timeout-Ms", secret}, {"X-Request-Timeout-Ms", digits}, {"Grpc-Timeout", digits[:8] + "S"},
			{"Connect-Timeout-Ms", digits[:10]}, {"X-Envoy-Expected-Rq-Timeout-Ms", digits}, {"X-Request-Attempt", digits},
			{"Baggage", "user=" + secret + ",plimsoll.tenant=" + secret}, {"Traceparent", "00-" + strings.Repeat(secret[:2], 16) + "-00f067aa0ba902b7-01"},
			{"Priority", "u=1," + secret}, {"Sec-Purpose", "prefetch;" + secret}, {"Cookie", secret}, {"Authorization", "Basic " + secret},
			{"User-Agent", secret}, {"X-Forwarded-For", secret}, {"Forwarded", "for=" + secret}, {"Plimsoll-Signature", secret},
			{"X-Tenant", digits}, {"X-Tenant", "a,b\"c"}, {"X-Tenant", strings.Repeat(secret, 1000)}, {"X-Tenant", "\xff\xfe" + secret},
		} {
			req := r.request("/"+secret+"/"+digits+"?q="+secret, headers...)
			req.Host = secret + ".example"
			req.Method, req.Body, req.ContentLength = "POST", http.NoBody, 0
			if len(headers) > 0 && headers[1] == secret {
				body := strings.NewReader(secret)
				req.Body, req.ContentLength = struct {
					*strings.Reader
					closer
				}{body, closer{}}, int64(len(secret))
			}
			r.send(client, req)
		}
		r.end()
		text, err := os.ReadFile(to.File)
		if err != nil {
			t.Fatal(err)
		}
		for _, what := range []string{secret, secret[:6], digits, digits[:8], "example", "POST", "127.0.0.1", "a,b"} {
			if bytes.Contains(bytes.ToLower(text), bytes.ToLower([]byte(what))) {
				t.Errorf("%s has %q:\n%s", name, what, text)
			}
		}
		if n := len(r.recorded(to.File)); n != 24 {
			t.Errorf("%d records", n)
		}
	}
}

type closer struct{}

func (closer) Close() error { return nil }

// A reload leaves the trace as it is, unless it is about that.
func TestReloadAndTheTrace(t *testing.T) {
	dir := t.TempDir()
	one, two := filepath.Join(dir, "one.csv"), filepath.Join(dir, "two.ndjson")
	key := filepath.Join(dir, "key")
	for name, text := range map[string]string{key: strings.Repeat("&~", 16), filepath.Join(dir, "folder.csv", "x"): ""} {
		if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	settings := func(timeout, record string) string {
		return "timeout: " + timeout + "\nupstreams: {shop: {endpoints: [http://shop]}}\nclasses: {default: {tenantHeader: X-Tenant}}\n" + record
	}
	r := play(t, settings("1s", ""), map[string]http.Handler{"shop": http.HandlerFunc(trivial)})
	client := r.client()
	send := func() { r.send(client, r.request("/", "X-Tenant", "blue")) }
	if _, there := r.metrics()["plimsoll_recording"]; there || r.View().Recording != nil {
		t.Error("something is recorded")
	}
	send()
	r.reload(settings("1s", "record: {file: "+one+"}"))
	send()
	r.reload(settings("2s", "record: {file: "+one+"}"))
	send()
	r.write(settings("2s", "record: {file: "+filepath.Join(dir, "folder.csv")+"}"))
	if err := r.Reload(); err == nil || !strings.Contains(err.Error(), "record.file: want a file that can be used") {
		t.Errorf("a folder: %v", err)
	}
	send()
	r.reload(settings("2s", "record: {file: "+two+", tenantKey: "+key+"}"))
	send()
	if err := os.WriteFile(key, []byte(strings.Repeat("~&", 16)), 0o600); err != nil {
		t.Fatal(err)
	}
	r.reload(settings("2s", "record: {file: "+two+", tenantKey: "+key+"}"))
	send()
	r.reload(settings("2s", ""))
	send()
	r.end()

	if all := r.recorded(one); len(all) != 3 || all[0].Tenant != all[2].Tenant {
		t.Errorf("the first has %+v", all)
	}
	aside, err := filepath.Glob(strings.TrimSuffix(two, ".ndjson") + "-*.ndjson")
	if err != nil || len(aside) != 1 {
		t.Fatalf("%q, %v", aside, err)
	}
	before, after := r.recorded(aside[0]), r.recorded(two)
	if len(before) != 1 || len(after) != 1 || before[0].Tenant == after[0].Tenant {
		t.Errorf("the second has %+v and %+v", before, after)
	}
	if names := r.files("x"); slices.Contains(names, key) {
		t.Errorf("watched: %q", names)
	}
}

// What was recorded before a reload switched it off is written before the proxy
// ends, and before another capture begins.
func TestRecordingOffAndOn(t *testing.T) {
	for _, on := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			p := &Proxy{log: slog.New(slowLog{slog.DiscardHandler, func() { time.Sleep(time.Second) }})}
			r := &p.recording
			one, two := into(t), into(t)
			put := func(c config.Record) {
				is, err := r.wanted(p, c)
				if err != nil {
					t.Fatal(err)
				}
				r.commit(is)
			}
			put(one)
			r.start()
			synctest.Wait()
			r.now.Load().witness("all").Arrived(httpgate.Arrived{Stream: true})
			begin := time.Now()
			put(config.Record{})
			if on {
				put(two)
				synctest.Wait()
				if _, err := os.Stat(two.File); err == nil {
					t.Error("another capture begins before the last has ended")
				}
				r.now.Load().witness("all").Arrived(httpgate.Arrived{Stream: true})
			}
			r.end(p)
			want, took := uint64(1), time.Second
			if on {
				want, took = 2, 2*time.Second
			}
			if n := r.counts.Written.Load(); n != want || time.Since(begin) != took {
				t.Errorf("%d records %s later, want %d and %s", n, time.Since(begin), want, took)
			}
		})
	}
}

// slowLog waits at each line.
type slowLog struct {
	slog.Handler
	wait func()
}

func (slowLog) Enabled(context.Context, slog.Level) bool { return true }

func (l slowLog) Handle(context.Context, slog.Record) error {
	l.wait()
	return nil
}

// With nothing left to ask for, the cache asks no gate: what it answers is no
// record.
func TestCacheHitsAreNotRecorded(t *testing.T) {
	to := into(t)
	s := &shelf{}
	s.says(200, "fresh", "Cache-Control", "max-age=60")
	r := start(t, s, func(c *config.Config) { caching(c); c.Record = to })
	for range 5 {
		r.send(r.client(), r.request("/"))
	}
	r.cacheAtRest()
	r.end()
	if n := len(r.recorded(to.File)); n != 1 {
		t.Errorf("%d records", n)
	}
}

// A proxy that does not get its port leaves the file of the one that has it alone.
func TestSecondProxyLeavesTheTraceAlone(t *testing.T) {
	to := into(t)
	r := start(t, http.HandlerFunc(trivial), func(c *config.Config) { c.Record = to })
	r.send(r.client(), r.request("/"))
	c := config.For(config.Endpoint{Scheme: "http", Host: "127.0.0.1:1"})
	c.Record, c.Listeners[0].Address = to, r.Addr()
	second, err := New(c, nil, r.Proxy.log)
	if err != nil {
		t.Fatal(err)
	}
	if second.Listen() == nil {
		t.Error("it has the port")
	}
	r.send(r.client(), r.request("/"))
	r.end()
	if n := len(r.recorded(to.File)); n != 2 {
		t.Errorf("%d records", n)
	}
}

// Many at once: every one is in the file, once, in the order of time.
func TestRecordsEveryRequest(t *testing.T) {
	to := into(t)
	r := start(t, http.HandlerFunc(trivial), func(c *config.Config) {
		c.Record, c.Gates[0].Limit, c.Gates[0].MaxQueue = to, 4, 4
		c.Trust.Everyone = true
	})
	const callers, each = 16, 100
	done := make(chan struct{})
	for i := range callers {
		go func() {
			defer func() { done <- struct{}{} }()
			client := r.client()
			for j := range each {
				_, err := fetch(client, r.request("/", "X-Request-Timeout-Ms", fmt.Sprint(10_000+i*each+j)))
				if err != nil {
					r.Error(err)
				}
			}
		}()
	}
	for range callers {
		<-done
	}
	r.end()
	all := r.recorded(to.File)
	if !slices.IsSortedFunc(all, func(a, b sim.Record) int { return cmp.Compare(a.At, b.At) }) {
		t.Error("out of order")
	}
	seen := map[time.Duration]int{}
	for _, rec := range all {
		seen[rec.Deadline]++
	}
	if len(all) != callers*each || len(seen) != callers*each {
		t.Errorf("%d records of %d requests", len(all), len(seen))
	}
}
