package tally

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/plimsoll-go/plimsoll/cmd/plimsoll/internal/openloop"
	"github.com/plimsoll-go/plimsoll/cmd/plimsoll/internal/result"
)

// A server that answers in 1 ms is frozen from 7 s to 22 s of 30, with 100
// requests a second: what was due meanwhile waited, and counts with its wait.
func TestB23LatencyCountsFromWhenRequestsWereDue(t *testing.T) {
	const ms = time.Millisecond
	tally := New([]Class{{Name: "a"}}, 30*time.Second)
	for i := range 3000 {
		due := time.Duration(i) * 10 * ms
		sent := due
		done := sent + ms
		if due >= 7*time.Second && due < 22*time.Second {
			// A caller that sends the next one when it has its answer sees 1 ms.
			sent, done = 22*time.Second, 22*time.Second+ms
		}
		tally.Offered(0, due)
		tally.Attempt(0, done, openloop.Good, "")
		tally.End(Request{Due: due, Sent: due, Last: sent, Done: done, Outcome: openloop.Good})
	}
	r := tally.Result(result.Result{Length: 30, Ran: 30})
	l, s := r.All.Latency, r.All.Service
	if l.Count != 3000 || l.Mean < 3450 || l.Mean > 4050 || l.P90 < 11500 || l.Quantile(0.95) < 13000 || l.Quantile(0.95) > 14000 {
		t.Errorf("latency %+v, p95 %g", l, l.Quantile(0.95))
	}
	if s.P99 > 1.01 {
		t.Errorf("service %+v: it is another thing", s)
	}
	if p50 := r.All.Series[8].P50; p50 < 13000 || p50 > 14000 {
		t.Errorf("p50 of the ninth second %g: it is that of those who were due in it", p50)
	}
}

// What is refused at once is no short latency.
func TestRefusalsAreNoLatency(t *testing.T) {
	tally := New([]Class{{Name: "a"}}, time.Second)
	for i := range 100 {
		tally.Offered(0, 0)
		r := Request{Done: time.Millisecond, Outcome: openloop.Refused, Reason: "busy"}
		if i%10 == 0 {
			r = Request{Done: time.Second, Outcome: openloop.Late}
		}
		tally.End(r)
	}
	r := tally.Result(result.Result{Length: 1, Ran: 1})
	if r.All.Recovery != nil {
		t.Error("a recovery without a peak")
	}
	if r.All.Latency.P50 < 999 || r.All.Latency.Count != 10 || r.All.Turned.Count != 90 || r.All.Turned.P99 > 1.01 {
		t.Errorf("%+v, turned away %+v", r.All.Latency, r.All.Turned)
	}
}

func TestGrid(t *testing.T) {
	const s = time.Second
	for _, tt := range []struct {
		length, step, quantum time.Duration
		window, rows, each    int
	}{
		{0, s, 100 * time.Millisecond, 10, 1, 1},
		{time.Millisecond, s, 100 * time.Millisecond, 10, 1, 1},
		{10 * s, s, 100 * time.Millisecond, 10, 10, 1},
		{61 * s, s, 100 * time.Millisecond, 10, 61, 3},
		{1800 * s, s, 100 * time.Millisecond, 10, 1800, 60},
		{1801 * s, 2 * s, 200 * time.Millisecond, 5, 901, 31},
		{3600 * s, 2 * s, 200 * time.Millisecond, 5, 1800, 60},
		{3 * time.Hour, 10 * s, s, 1, 1080, 36},
		{24 * time.Hour, time.Minute, s, 1, 1440, 48},
		{10000 * time.Hour, time.Hour, s, 1, 10000, 334},
	} {
		g := gridOf(tt.length, 1)
		if g != (grid{step: tt.step, quantum: tt.quantum, window: tt.window, rows: tt.rows, each: tt.each}) {
			t.Errorf("%s: %+v", tt.length, g)
		}
	}
	for _, tt := range []struct {
		classes int
		step    time.Duration
	}{{1, 2 * s}, {4, 2 * s}, {5, 5 * s}, {12, 10 * s}, {1000, 10 * s}} {
		if g := gridOf(time.Hour, tt.classes); g.step != tt.step {
			t.Errorf("an hour of %d classes in steps of %s", tt.classes, g.step)
		}
	}
	g := gridOf(10*s, 1)
	if g.due(-s) != 0 || g.due(9*s) != 9 || g.due(time.Hour) != 9 || g.of(-1) != 0 || g.of(time.Hour) != 99 || g.done(11*s) != 11 || g.done(24*time.Hour) != 10+maxRows-1 {
		t.Error("a time outside of the run has no place")
	}
}

func TestRecovery(t *testing.T) {
	const tenth = 100 * time.Millisecond
	at := func(s float64) *float64 { return &s }
	for _, tt := range []struct {
		name      string
		peak, ran float64
		bad       func(due time.Duration) bool
		want      *float64
	}{
		{"never down", 4, 10, func(time.Duration) bool { return false }, at(0)},
		{"down during the peak only", 4, 10, func(d time.Duration) bool { return d < 4*time.Second }, at(0)},
		{"two seconds more", 4, 10, func(d time.Duration) bool { return d < 6*time.Second }, at(2)},
		{"an end between two quanta", 3.95, 10, func(d time.Duration) bool { return d < 6*time.Second }, at(2.05)},
		{"a relapse counts", 4, 10, func(d time.Duration) bool { return d >= 7*time.Second && d < 8*time.Second }, at(4)},
		{"never", 4, 10, func(time.Duration) bool { return true }, nil},
		{"too late to tell", 4, 10, func(d time.Duration) bool { return d < 9500*time.Millisecond }, nil},
		{"interrupted before", 4, 4.5, func(time.Duration) bool { return false }, nil},
		{"the peak lasts to the end", 10, 10, func(time.Duration) bool { return false }, nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			tally := New([]Class{{Name: "a"}}, 10*time.Second)
			for due := time.Duration(0); due < 10*time.Second; due += tenth {
				r := Request{Due: due, Done: due, Outcome: openloop.Good}
				if tt.bad(due) {
					r.Outcome = openloop.Late
				}
				tally.Offered(0, due)
				tally.End(r)
			}
			r := tally.Result(result.Result{Length: 10, Ran: tt.ran, PeakEnd: &tt.peak})
			for _, c := range []*result.Class{&r.All, &r.Classes[0]} {
				if got := c.Recovery; (got == nil) != (tt.want == nil) || got != nil && (*got < *tt.want-1e-9 || *got > *tt.want+1e-9) {
					t.Errorf("%s: %v, want %v", c.Name, show(got), show(tt.want))
				}
			}
		})
	}
}

func show(s *float64) string {
	if s == nil {
		return "none"
	}
	return fmt.Sprint(*s)
}

func TestReasonsAreFew(t *testing.T) {
	tally := New([]Class{{Name: "a"}, {Name: "b"}}, time.Second)
	for i := range 100_000 {
		tally.Offered(i%2, 0)
		reason := fmt.Sprint("anything ", i)
		tally.Attempt(i%2, 0, openloop.Failed, reason)
		tally.End(Request{Class: i % 2, Outcome: openloop.Failed, Reason: reason})
	}
	r := tally.Result(result.Result{})
	if n := len(r.All.Failed); n > maxReasons+1 || result.Sum(r.All.Failed) != 100_000 || result.Sum(r.All.AttemptsFailed) != 100_000 {
		t.Errorf("%d reasons of %d failures", n, result.Sum(r.All.Failed))
	}
	if r.All.Failed[Other] < 90_000 {
		t.Errorf("%v", r.All.Failed)
	}
}

// What a class tells apart all classes do, and every look at it does.
func TestReasonsStayTheSame(t *testing.T) {
	tally := New([]Class{{Name: "a"}, {Name: "b"}}, time.Second)
	for i := range 30 {
		for range 30 - i {
			tally.Offered(0, 0)
			tally.End(Request{Outcome: openloop.Failed, Reason: fmt.Sprint("status ", 500+i)})
		}
	}
	first := tally.Live(0)
	for range 20 {
		s, r := tally.Live(0), tally.Result(result.Result{})
		for name, got := range map[string]map[string]int64{
			"a, live": s.Classes[0].Failed, "all, live": s.All.Failed, "a": r.Classes[0].Failed, "all": r.All.Failed,
		} {
			if !maps.Equal(got, first.Classes[0].Failed) || len(got) != maxReasons+1 || got["status 500"] != 30 {
				t.Fatalf("%s: %v, and first %v", name, got, first.Classes[0].Failed)
			}
		}
	}
}

func TestReasonsAreText(t *testing.T) {
	tally := New([]Class{{Name: "a"}}, time.Second)
	for _, why := range []string{"status 500", strings.Repeat("long", 100), "\xff"} {
		tally.Offered(0, 0)
		tally.End(Request{Outcome: openloop.Failed, Reason: why})
	}
	if got := tally.Result(result.Result{}).All.Failed; got["status 500"] != 1 || got[Other] != 2 {
		t.Errorf("%v", got)
	}
}

func TestConcurrent(t *testing.T) {
	const workers, each = 8, 1000
	classes := []Class{{Name: "a"}, {Name: "b"}, {Name: "c"}}
	tally := New(classes, 10*time.Second)
	var working sync.WaitGroup
	for w := range workers {
		working.Go(func() { tell(tally, random(rand.New(rand.NewPCG(uint64(w), 1)), len(classes), 10*time.Second, each)) })
	}
	looked := make(chan struct{})
	go func() {
		defer close(looked)
		before := Snapshot{}
		for i := range 200 {
			s := tally.Live(time.Duration(i) * 50 * time.Millisecond)
			if s.All.Offered < before.All.Offered || s.All.Good < before.All.Good || s.All.Open < 0 {
				t.Errorf("%+v after %+v", s.All, before.All)
			}
			before = s
			if i%50 == 0 {
				tally.Result(result.Result{})
			}
			for range tally.Intervals() {
				break
			}
		}
	}()
	working.Wait()
	<-looked
	var all []record
	for w := range workers {
		all = append(all, random(rand.New(rand.NewPCG(uint64(w), 1)), len(classes), 10*time.Second, each)...)
	}
	r := tally.Result(result.Result{Length: 10, Ran: 10})
	check(t, 0, &r.All, all, 100*time.Second, 10*time.Second)
}

func TestLive(t *testing.T) {
	tally := New([]Class{{Name: "a", Criticality: "CRITICAL"}, {Name: "b"}}, 10*time.Second)
	if s := tally.Live(0); s.All.Offered != 0 || s.All.Name != result.AllClasses || len(s.Classes) != 2 {
		t.Errorf("%+v", s)
	}
	for i := range 400 {
		due := time.Duration(i) * 5 * time.Millisecond
		tally.Offered(0, due)
		tally.Attempt(0, due+10*time.Millisecond, openloop.Good, "")
		tally.End(Request{Due: due, Sent: due, Last: due, Done: due + 10*time.Millisecond, Outcome: openloop.Good})
	}
	tally.Offered(1, 0)
	tally.Skip(1, 0, "in_flight")
	tally.Offered(1, 0)
	tally.Offered(1, 0)
	tally.Attempt(1, 0, openloop.Refused, "busy")
	tally.End(Request{Class: 1, Outcome: openloop.Refused, Reason: "busy"})
	s := tally.Live(2500 * time.Millisecond)
	a, b := s.Classes[0], s.Classes[1]
	if a.Offered != 400 || a.Good != 400 || a.Open != 0 || a.Attempts != 400 || a.Served != 400 || a.Criticality != "CRITICAL" {
		t.Errorf("%+v", a)
	}
	if a.P50 < 10*time.Millisecond || a.P50 > 10200*time.Microsecond || a.P99 != a.P50 || s.All.P99 != a.P99 {
		t.Errorf("p50 %s, p99 %s of the second before", a.P50, a.P99)
	}
	if a.Latency.TotalCount() != 400 || s.All.Latency.TotalCount() != 400 || s.All.Waited < 3.99 || s.All.Waited > 4.01 || b.Latency.TotalCount() != 0 {
		t.Errorf("latency of %d, %g s", a.Latency.TotalCount(), s.All.Waited)
	}
	if b.Offered != 3 || b.Open != 1 || b.Skipped["in_flight"] != 1 || b.Refused["busy"] != 1 || b.P99 != 0 {
		t.Errorf("%+v", b)
	}
	if s := tally.Live(9 * time.Second); s.All.P99 != 0 {
		t.Errorf("p99 %s when nothing has ended for long", s.All.P99)
	}
	if s.All.Offered != 403 || s.All.Refused["busy"] != 1 {
		t.Errorf("%+v", s.All)
	}
}

func TestNoAllocations(t *testing.T) {
	tally := New([]Class{{Name: "a"}}, time.Minute)
	i := 0
	one := func() {
		due := time.Duration(i) * time.Millisecond
		i++
		tally.Offered(0, due)
		tally.Attempt(0, due, openloop.Refused, "busy")
		tally.Attempt(0, due, openloop.Good, "")
		tally.End(Request{Due: due, Sent: due, Last: due, Done: due + time.Duration(i%1000)*10*time.Microsecond, Outcome: openloop.Good})
	}
	if n := testing.AllocsPerRun(20_000, one); n != 0 {
		t.Errorf("%g allocations a request", n)
	}
}

// An hour of a wide mix takes some tens of megabytes.
func TestMemoryIsBounded(t *testing.T) {
	if testing.Short() {
		t.Skip("an hour of requests")
	}
	const classes = 4
	heap := func() uint64 {
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return m.HeapAlloc
	}
	before := heap()
	var names []Class
	for i := range classes {
		names = append(names, Class{Name: fmt.Sprint(i)})
	}
	tally := New(names, time.Hour)
	r := rand.New(rand.NewPCG(1, 1))
	n := 0
	for second := range 3600 {
		for range 1000 { // distinct values are what costs, and few more come with 20 times as many
			due := time.Duration(second)*time.Second + time.Duration(r.Int64N(int64(time.Second)))
			tally.End(Request{Class: n % classes, Due: due, Done: due + time.Duration(r.ExpFloat64()*float64(30*time.Millisecond)), Outcome: openloop.Good})
			n++
		}
		if second%10 == 0 {
			tally.Live(time.Duration(second) * time.Second)
		}
	}
	if used := heap() - before; used > 64<<20 {
		t.Errorf("%d MiB", used>>20)
	} else {
		t.Logf("%.1f MiB for %d requests of %d classes", float64(used)/(1<<20), n, classes)
	}
	runtime.KeepAlive(tally)
}

func BenchmarkRequest(b *testing.B) {
	tally := New([]Class{{Name: "a"}, {Name: "b"}}, time.Minute)
	took := make([]time.Duration, 4096)
	r := rand.New(rand.NewPCG(1, 1))
	for i := range took {
		took[i] = time.Duration(r.ExpFloat64() * float64(20*time.Millisecond))
	}
	b.ReportAllocs()
	b.RunParallel(func(pb *testing.PB) {
		for i := 0; pb.Next(); i++ {
			due := time.Duration(i%600_000) * 100 * time.Microsecond
			tally.Offered(i&1, due)
			tally.Attempt(i&1, due, openloop.Good, "")
			tally.End(Request{Class: i & 1, Due: due, Sent: due, Last: due, Done: due + took[i%len(took)], Outcome: openloop.Good})
		}
	})
}
