package e2e

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// A service that retries hold down: one worker that does 100 jobs a second,
// wanted or not, oldest first and without a bound; 40 requests a second, each
// tried three times with the patience of 400 ms; and a fixed limit of 1,000, far
// too many for one worker, so that the gate never holds anybody back.
const (
	jobsPerSecond  = 100
	callsPerSecond = 40
	callersWait    = 400 * time.Millisecond
	tries          = 3
	spike          = 150
)

// worker is the service.
type worker struct {
	mu    sync.Mutex
	queue []chan struct{}
	free  time.Time // when the last job ended
}

func (s *worker) ServeHTTP(_ http.ResponseWriter, r *http.Request) {
	done := make(chan struct{})
	s.mu.Lock()
	s.queue = append(s.queue, done)
	s.mu.Unlock()
	select {
	case <-done:
	case <-r.Context().Done(): // the job stays where it is
	}
}

// work does the jobs, by a time of its own: what a busy machine delays is not
// lost.
func (s *worker) work(now time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for len(s.queue) > 0 && !s.free.After(now) {
		s.free = s.free.Add(time.Second / jobsPerSecond)
		close(s.queue[0])
		s.queue = s.queue[1:]
	}
	if len(s.queue) == 0 && s.free.Before(now) {
		s.free = now
	}
}

// every calls a function at an interval until ctx ends: on a machine that is busy
// later, but as often.
func every(ctx context.Context, interval time.Duration, f func(now time.Time)) {
	tick := time.NewTicker(interval)
	defer tick.Stop()
	for next := time.Now(); ; {
		select {
		case <-ctx.Done():
			return
		case now := <-tick.C:
			for ; !next.After(now); next = next.Add(interval) {
				f(now)
			}
		}
	}
}

// held is the program before such a service, and its callers.
type held struct {
	*rig
	ctx    context.Context
	client *http.Client
	good   atomic.Int64
	calls  sync.WaitGroup
	lost   func() float64 // of the time, since it runs
}

// hold starts everything; recover is the gate's key of that name.
func hold(t *testing.T, recover string) *held {
	if testing.Short() {
		t.Skip("half a minute of real time")
	}
	t.Parallel()
	service := &worker{free: time.Now()}
	upstream := serve(t, service)
	file := filepath.Join(t.TempDir(), "proxy.yaml")
	text := fmt.Sprintf("version: 1\nupstreams: {shop: {endpoints: [\"http://%s\"]}}\ngates: {shop: {limit: 1000, recover: %s}}\n", upstream, recover)
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	at := addresses(t, 2)
	h := &held{rig: launch(t, at, "--config", file, "--listen", at[0], "--admin", at[1])}
	h.client, h.lost = h.rig.client(false), feel(t)
	ctx, stop := context.WithCancel(context.Background())
	h.ctx = ctx
	var running sync.WaitGroup
	running.Go(func() { every(ctx, time.Second/jobsPerSecond/2, service.work) })
	running.Go(func() { every(ctx, time.Second/callsPerSecond, func(time.Time) { h.send(1) }) })
	t.Cleanup(func() {
		stop()
		running.Wait()
		h.calls.Wait()
	})
	return h
}

// send begins n calls.
func (h *held) send(n int) {
	for range n {
		h.calls.Go(h.call)
	}
}

// call tries up to three times, each at once after the last.
func (h *held) call() {
	for range tries {
		if h.try() {
			h.good.Add(1)
			return
		}
	}
}

func (h *held) try() bool {
	ctx, cancel := context.WithTimeout(h.ctx, callersWait)
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, h.url+"/", nil)
	if err != nil {
		return false
	}
	resp, err := h.client.Do(r)
	if err != nil {
		return false
	}
	_, err = io.Copy(io.Discard, resp.Body)
	return resp.Body.Close() == nil && err == nil && resp.StatusCode == http.StatusOK
}

// goodput waits until that of the last two seconds, as a share of the load, is
// what is wanted, and returns how long that took; or until the time is up.
func (h *held) goodput(within time.Duration, want func(share float64) bool) (time.Duration, bool) {
	const step, window = 100 * time.Millisecond, 20
	began := time.Now()
	var past []int64
	tick := time.NewTicker(step)
	defer tick.Stop()
	for now := range tick.C {
		past = append(past, h.good.Load())
		if n := len(past) - 1 - window; n >= 0 && want(float64(past[len(past)-1]-past[n])/(callsPerSecond*2)) {
			return now.Sub(began), true
		}
		if now.Sub(began) > within {
			break
		}
	}
	return time.Since(began), false
}

func up(share float64) bool   { return share > 0.9 }
func down(share float64) bool { return share < 0.1 }

// knockOver is a spike after which the service stays down, although the load
// is less than half of what it can do.
func (h *held) knockOver() {
	h.Helper()
	if _, ok := h.goodput(patience, up); !ok {
		h.Fatal("the service does not come up")
	}
	h.send(spike)
	if _, ok := h.goodput(patience, down); !ok {
		h.Fatal("the service does not get stuck")
	}
}

// stillDown ends the test: callers of little patience get nothing from a machine
// that is busy either.
func (h *held) stillDown() {
	h.Helper()
	picture := h.command("top", h.Admin, "--once")
	if busy := h.lost(); busy >= mostLost {
		h.Skipf("it is still down, and %.0f %% of the time was lost on a busy machine\n%s", 100*busy, picture)
	}
	h.Fatalf("it is still down\n%s", picture)
}

// command runs the program.
func (h *held) command(args ...string) string {
	h.Helper()
	out, err := exec.CommandContext(h.ctx, program, args...).CombinedOutput()
	if err != nil {
		h.Fatalf("plimsoll %s: %v: %s", strings.Join(args, " "), err, out)
	}
	return string(out)
}

// A spike is long over and the service is down; left alone it stays down.
// plimsoll recover frees it within seconds, and it stays free.
func TestRecoverFreesAServiceThatRetriesHoldDown(t *testing.T) {
	h := hold(t, "{ramp: 15s}")
	h.knockOver()
	if after, ok := h.goodput(6*time.Second, up); ok {
		t.Fatalf("it came up by itself after %v", after)
	}
	if picture := h.command("top", h.Admin, "--once"); !strings.Contains(picture, "STUCK") {
		t.Errorf("plimsoll top shows\n%s", picture)
	}
	if said := h.command("recover", h.Admin, "--gate", "shop"); said != "recovering: shop\n" {
		t.Errorf("plimsoll recover said %q", said)
	}
	after, ok := h.goodput(25*time.Second, up)
	if !ok {
		h.stillDown()
	}
	t.Logf("stuck for 6 s without, free %v after plimsoll recover", after.Round(100*time.Millisecond))
	if after, again := h.goodput(5*time.Second, down); again {
		t.Errorf("it is down again after %v", after)
	}
}

// Where the configuration says so, it happens by itself, once.
func TestAutomaticRecoveryFreesAServiceThatRetriesHoldDown(t *testing.T) {
	h := hold(t, "{automatic: true, after: 3s, below: 20%, ramp: 15s}")
	h.knockOver()
	after, ok := h.goodput(patience, up)
	if !ok {
		h.stillDown()
	}
	t.Logf("free by itself %v after it was stuck", after.Round(100*time.Millisecond))
	if n := h.metrics().Sum("plimsoll_recoveries_total", `cause="automatic"`); n != 1 {
		t.Errorf("%v automatic recoveries", n)
	}
	if line := h.command("top", h.Admin, "--once", "--json"); !strings.Contains(line, `"name":"shop"`) {
		t.Errorf("plimsoll top says %s", line)
	}
}
