package recovery

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"
)

// The live case: one worker that does 100 jobs a second, wanted or not, oldest
// first and without a bound; 40 requests a second, each tried three times with
// the patience of 400 ms; and a limit of 64, far too many for one worker.
const (
	capacity = 100
	load     = 40
	patience = 400 * time.Millisecond
	tries    = 3
	spike    = 150
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
func (s *worker) work(ctx context.Context) {
	s.free = time.Now()
	for tick := time.NewTicker(time.Second / capacity / 2); ; {
		select {
		case <-ctx.Done():
			tick.Stop()
			return
		case now := <-tick.C:
			s.until(now)
		}
	}
}

func (s *worker) until(now time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for len(s.queue) > 0 && !s.free.After(now) {
		s.free = s.free.Add(time.Second / capacity)
		close(s.queue[0])
		s.queue = s.queue[1:]
	}
	if len(s.queue) == 0 && s.free.Before(now) {
		s.free = now
	}
}

// callers send requests whatever becomes of them.
type callers struct {
	url    string
	client http.Client
	good   atomic.Int64
	wait   sync.WaitGroup
}

// request tries up to three times, each at once after the last.
func (c *callers) request(ctx context.Context) {
	for range tries {
		ctx, cancel := context.WithTimeout(ctx, patience)
		r, err := http.NewRequestWithContext(ctx, http.MethodGet, c.url, nil)
		if err != nil {
			panic(err)
		}
		resp, err := c.client.Do(r)
		if err == nil {
			_, err = io.Copy(io.Discard, resp.Body)
			_ = resp.Body.Close()
		}
		cancel()
		if err == nil && resp.StatusCode == http.StatusOK {
			c.good.Add(1)
			return
		}
	}
}

func (c *callers) send(ctx context.Context, n int) {
	for range n {
		c.wait.Go(func() { c.request(ctx) })
	}
}

// live is the service behind the program itself, and its callers.
type live struct {
	*testing.T
	program, admin string
	callers        *callers
	ctx            context.Context
}

// folder is where the program is built.
var folder string

// program builds the program once for all tests.
var program = sync.OnceValues(func() (string, error) {
	path := filepath.Join(folder, "plimsoll")
	out, err := exec.Command("go", "build", "-o", path, "../..").CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("%w: %s", err, out)
	}
	return path, nil
})

func TestMain(m *testing.M) {
	var err error
	if folder, err = os.MkdirTemp("", "plimsoll"); err != nil {
		panic(err)
	}
	code := m.Run()
	_ = os.RemoveAll(folder)
	os.Exit(code)
}

// start starts everything; recover is the configuration's key of that name.
func start(t *testing.T, recover string) *live {
	if testing.Short() {
		t.Skip("half a minute of real time")
	}
	path, err := program()
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	service := new(worker)
	backend := httptest.NewServer(service)
	t.Cleanup(backend.Close)
	t.Cleanup(backend.CloseClientConnections)
	var working sync.WaitGroup
	working.Go(func() { service.work(ctx) })

	l := &live{T: t, program: path, callers: &callers{client: http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 1000}}}, ctx: ctx}
	l.proxy(backend.URL, recover)
	working.Go(func() {
		for tick := time.NewTicker(time.Second / load); ; {
			select {
			case <-ctx.Done():
				tick.Stop()
				return
			case <-tick.C:
				l.callers.send(ctx, 1)
			}
		}
	})
	t.Cleanup(func() {
		stop()
		working.Wait()
		l.callers.wait.Wait()
		l.callers.client.CloseIdleConnections()
	})
	return l
}

// proxy runs the program as a proxy and finds its ports in its log.
func (l *live) proxy(upstream, recover string) {
	l.Helper()
	file := filepath.Join(l.TempDir(), "proxy.yaml")
	text := fmt.Sprintf("version: 1\nadmin: 127.0.0.1:0\nlisteners: [{address: \"127.0.0.1:0\"}]\nupstreams: {shop: {endpoints: [%s]}}\n"+
		"gates: {shop: {limit: 64, recover: %s}}\ndrain: {timeout: 1s}\n", upstream, recover)
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		l.Fatal(err)
	}
	cmd := exec.Command(l.program, "proxy", "--config", file)
	log, err := cmd.StderrPipe()
	if err != nil {
		l.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		l.Fatal(err)
	}
	lines := bufio.NewScanner(log)
	serving := regexp.MustCompile(`listen=(\S+) admin=(\S+)`)
	said := ""
	for l.admin == "" && lines.Scan() {
		said += lines.Text() + "\n"
		if m := serving.FindStringSubmatch(lines.Text()); m != nil {
			l.callers.url, l.admin = "http://"+m[1]+"/", m[2]
		}
	}
	go func() { // or the proxy would wait for somebody to read its log
		for lines.Scan() {
			continue
		}
	}()
	l.Cleanup(func() {
		_ = cmd.Process.Signal(syscall.SIGTERM)
		if err := cmd.Wait(); err != nil {
			l.Errorf("the proxy: %v", err)
		}
	})
	if _, _, err := net.SplitHostPort(l.admin); err != nil {
		l.Fatalf("the proxy does not serve: %s", said)
	}
}

// share waits until the goodput of the last two seconds, as a share of the
// load, is what is wanted, and returns how long that took; or until the time is
// up.
func (l *live) share(within time.Duration, want func(share float64) bool) (time.Duration, bool) {
	l.Helper()
	const step, window = 100 * time.Millisecond, 2 * time.Second
	began := time.Now()
	var past []int64
	tick := time.NewTicker(step)
	defer tick.Stop()
	for now := range tick.C {
		past = append(past, l.callers.good.Load())
		if n := len(past) - 1 - int(window/step); n >= 0 && want(float64(past[len(past)-1]-past[n])/(load*window.Seconds())) {
			return now.Sub(began), true
		}
		if now.Sub(began) > within {
			return now.Sub(began), false
		}
	}
	return 0, false
}

func healthy(share float64) bool { return share > 0.9 }
func down(share float64) bool    { return share < 0.1 }

// knockOver is a spike, a second long at most, after which the service stays
// down although the load is less than half of what it can do.
func (l *live) knockOver() {
	l.Helper()
	if _, ok := l.share(30*time.Second, healthy); !ok {
		l.Fatal("the service does not come up")
	}
	l.callers.send(l.ctx, spike)
	if _, ok := l.share(30*time.Second, down); !ok {
		l.Fatal("the service does not get stuck")
	}
}

// command runs the program.
func (l *live) command(args ...string) string {
	l.Helper()
	out, err := exec.CommandContext(l.ctx, l.program, args...).CombinedOutput()
	if err != nil {
		l.Fatalf("plimsoll %s: %v: %s", strings.Join(args, " "), err, out)
	}
	return string(out)
}

// A spike is long over and the service is still down; left alone it stays down.
// plimsoll recover frees it within seconds.
func TestRecoverFreesALiveService(t *testing.T) {
	t.Parallel()
	l := start(t, "{ramp: 15s}")
	l.knockOver()
	if after, up := l.share(6*time.Second, healthy); up {
		t.Fatalf("it came up by itself after %v", after)
	}
	if picture := l.command("top", l.admin, "--once"); !strings.Contains(picture, "STUCK") {
		t.Errorf("plimsoll top shows\n%s", picture)
	}
	if said := l.command("recover", l.admin, "--gate", "shop"); said != "recovering: shop\n" {
		t.Errorf("plimsoll recover said %q", said)
	}
	after, up := l.share(25*time.Second, healthy)
	if !up {
		t.Fatal("it is still down")
	}
	t.Logf("free after %v", after)
	if after, again := l.share(5*time.Second, down); again {
		t.Errorf("it is down again after %v", after)
	}
}

// Where the configuration says so, it happens by itself.
func TestAutomaticRecoveryFreesALiveService(t *testing.T) {
	t.Parallel()
	l := start(t, "{automatic: true, after: 3s, below: 20%, ramp: 15s}")
	l.knockOver()
	after, up := l.share(30*time.Second, healthy)
	if !up {
		t.Fatalf("it is still down\n%s", l.command("top", l.admin, "--once"))
	}
	t.Logf("free after %v", after)
	status := l.command("top", l.admin, "--once", "--json")
	if !strings.Contains(status, `"name":"shop"`) {
		t.Errorf("plimsoll top says %s", status)
	}
	resp, err := http.Get("http://" + l.admin + "/metrics")
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	page, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(page), `plimsoll_recoveries_total{cause="automatic",gate="shop"} 1`) {
		t.Error("no automatic recovery is counted, or more than one")
	}
}
