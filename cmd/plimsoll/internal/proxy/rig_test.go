package proxy

import (
	"bytes"
	"context"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/plimsoll-go/plimsoll"
	"github.com/plimsoll-go/plimsoll/cmd/plimsoll/internal/config"
	"github.com/plimsoll-go/plimsoll/internal/wait"
)

// patience bounds every wait of these tests: none of them expects to get near
// it.
const patience = wait.Patience

// rig is a proxy on real sockets before backends on real sockets.
type rig struct {
	testing.TB
	*Proxy
	url   string
	log   *logBuffer
	stop  context.CancelFunc
	ended chan error

	file  string            // the settings, if they came from text
	hosts map[string]string // of the backends in that text
}

// start starts a proxy whose settings are the defaults after edit. The test
// ends with a check that nothing is left in it.
func start(t testing.TB, backend http.Handler, edit func(*config.Config)) *rig {
	t.Helper()
	return startBefore(t, "http://"+serve(t, backend), edit)
}

// startBefore starts a proxy before a backend of its own making.
func startBefore(t testing.TB, backend string, edit func(*config.Config)) *rig {
	t.Helper()
	e, ok := config.ParseEndpoint(backend)
	if !ok {
		t.Fatalf("no endpoint: %s", backend)
	}
	c := config.For(e)
	if edit != nil {
		edit(&c)
	}
	return run(&rig{TB: t}, c, nil)
}

// play starts a proxy with the settings of a YAML file, whose version need not
// be said. Where an endpoint's host is the name of one of the backends it is
// where that one listens:
//
//	upstreams: {shop: {endpoints: [http://shop]}}
//
// The test ends with a check that nothing is left in it.
func play(t testing.TB, text string, backends map[string]http.Handler) *rig {
	t.Helper()
	r := &rig{TB: t, file: filepath.Join(t.TempDir(), "proxy.yaml"), hosts: map[string]string{}}
	for name, backend := range backends {
		r.hosts[name] = serve(t, backend)
	}
	r.write(text)
	load := func() (config.Config, error) { return config.Load(config.Flags{Config: r.file}) }
	c, err := load()
	if err != nil {
		t.Fatal(err)
	}
	return run(r, c, load)
}

// write makes a text the content of the settings' file.
func (r *rig) write(text string) {
	r.Helper()
	for name, host := range r.hosts {
		text = regexp.MustCompile("://"+name+`\b`).ReplaceAllString(text, "://"+host)
	}
	if err := os.WriteFile(r.file, []byte("version: 1\n"+text), 0o600); err != nil {
		r.Fatal(err)
	}
}

// serve serves a backend, HTTP/1.1 and HTTP/2, and returns its address.
func serve(t testing.TB, backend http.Handler) string {
	server := httptest.NewUnstartedServer(backend)
	server.Config.ErrorLog = slog.NewLogLogger(slog.DiscardHandler, slog.LevelError)
	server.Config.Protocols = new(http.Protocols)
	server.Config.Protocols.SetHTTP1(true)
	server.Config.Protocols.SetUnencryptedHTTP2(true)
	server.Start()
	t.Cleanup(func() {
		server.CloseClientConnections() // frees handlers that a failed test has left
		server.Close()
	})
	return server.Listener.Addr().String()
}

// run runs a proxy, on ports of its own unless the test has taken some.
func run(r *rig, c config.Config, load func() (config.Config, error)) *rig {
	r.Helper()
	fresh := func(c config.Config) config.Config {
		if c.Listeners[0].Address == ":8080" {
			c.Listeners[0].Address = "127.0.0.1:0"
		}
		if c.Admin == "127.0.0.1:9090" {
			c.Admin = "127.0.0.1:0"
		}
		return c
	}
	again := load
	if load != nil {
		again = func() (config.Config, error) {
			c, err := load()
			if err != nil {
				return c, err
			}
			return fresh(c), nil
		}
	}
	r.log = new(logBuffer)
	p, err := New(fresh(c), again, slog.New(slog.NewTextHandler(r.log, nil)))
	if err != nil {
		r.Fatal(err)
	}
	if err := p.Listen(); err != nil {
		r.Fatal(err)
	}
	ctx, stop := context.WithCancel(r.Context())
	r.Proxy, r.url, r.stop, r.ended = p, "http://"+p.Addr(), stop, make(chan error, 1)
	go func() { r.ended <- p.Serve(ctx) }()
	r.Cleanup(func() {
		defer r.end() // even if it is not at rest: the backend's end waits for it
		r.atRest()
	})
	return r
}

// Snapshot is that of the first gate.
func (r *rig) Snapshot() plimsoll.Snapshot { return r.Snapshots()[0] }

// end stops the proxy and waits until it has ended. It may be called again.
func (r *rig) end() {
	r.stop()
	select {
	case err := <-r.ended:
		if err != nil {
			r.Errorf("Serve: %v", err)
		}
		r.ended <- nil
	case <-time.After(patience + r.table.Load().config.Drain.Timeout):
		r.Error("the proxy does not end")
	}
}

// atRest waits until nothing is in the proxy and checks that every arrival
// has had exactly one outcome.
func (r *rig) atRest() {
	r.Helper()
	r.until("the proxy is at rest", func() bool {
		for _, s := range r.Snapshots() {
			if s.InFlight+s.Depth+s.Streams > 0 {
				return false
			}
		}
		return true
	})
	for _, s := range r.Snapshots() {
		for lane := range s.Classes {
			c := &s.Classes[lane]
			var ended uint64
			for _, n := range c.Outcomes {
				ended += n
			}
			if c.Arrived != c.Admitted+c.RefusedTotal() || c.Admitted != ended {
				r.Errorf("%s, lane %d: %d arrived, %d admitted, %d refused, %d ended", s.Name, lane, c.Arrived, c.Admitted, c.RefusedTotal(), ended)
			}
		}
	}
}

// until waits for a condition.
func (r *rig) until(what string, done func() bool) {
	r.Helper()
	wait.Until(r, what, done, func() any { return r.brief() })
}

// brief is a snapshot without its histograms.
func (r *rig) brief() map[string]int {
	s := r.Snapshot()
	return map[string]int{"limit": s.Limit, "in flight": s.InFlight, "depth": s.Depth, "streams": s.Streams}
}

// client returns a client with connections of its own.
func (r *rig) client() *http.Client {
	t := &http.Transport{MaxIdleConnsPerHost: 256}
	r.Cleanup(t.CloseIdleConnections)
	return &http.Client{Transport: t, Timeout: patience}
}

// clientH2 is client over HTTP/2.
func (r *rig) clientH2() *http.Client {
	t := &http.Transport{Protocols: new(http.Protocols)}
	t.Protocols.SetUnencryptedHTTP2(true)
	r.Cleanup(t.CloseIdleConnections)
	return &http.Client{Transport: t, Timeout: patience}
}

// request makes a GET with headers, given as names and values in turn.
func (r *rig) request(path string, headers ...string) *http.Request {
	r.Helper()
	req, err := http.NewRequestWithContext(r.Context(), "GET", r.url+path, nil)
	if err != nil {
		r.Fatal(err)
	}
	for i := 0; i+1 < len(headers); i += 2 {
		req.Header[http.CanonicalHeaderKey(headers[i])] = append(req.Header[http.CanonicalHeaderKey(headers[i])], headers[i+1])
	}
	return req
}

// answer is a response that was read to its end.
type answer struct {
	*http.Response
	body string
}

// send sends a request and reads the whole answer.
func (r *rig) send(c *http.Client, req *http.Request) answer {
	r.Helper()
	a, err := fetch(c, req)
	if err != nil {
		r.Fatal(err)
	}
	return a
}

func fetch(c *http.Client, req *http.Request) (answer, error) {
	resp, err := c.Do(req)
	if err != nil {
		return answer{}, err
	}
	body, err := io.ReadAll(resp.Body)
	return answer{resp, string(body)}, errorsOf(err, resp.Body.Close())
}

func errorsOf(a, b error) error {
	if a != nil {
		return a
	}
	return b
}

// metrics reads the admin port's /metrics.
func (r *rig) metrics() map[string]float64 {
	r.Helper()
	resp, err := http.Get("http://" + r.AdminAddr() + "/metrics")
	if err != nil {
		r.Fatal(err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		r.Fatal(err)
	}
	return parseMetrics(string(body))
}

// parseMetrics reads "name{labels} value" lines.
func parseMetrics(text string) map[string]float64 {
	out := map[string]float64{}
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if at := strings.LastIndexByte(line, ' '); at > 0 && line[0] != '#' {
			out[line[:at]], _ = strconv.ParseFloat(line[at+1:], 64)
		}
	}
	return out
}

// total sums an outcome over the classes.
func (r *rig) total(o plimsoll.Outcome) (n uint64) {
	s := r.Snapshot()
	for lane := range s.Classes {
		n += s.Classes[lane].Outcomes[o]
	}
	return n
}

// refused sums a reason over the classes.
func (r *rig) refused(reason plimsoll.Reason) (n uint64) {
	s := r.Snapshot()
	for lane := range s.Classes {
		n += s.Classes[lane].Refused[reason]
	}
	return n
}

// dial opens a raw connection to the traffic port.
func (r *rig) dial() *net.TCPConn {
	r.Helper()
	conn, err := net.Dial("tcp", r.Addr())
	if err != nil {
		r.Fatal(err)
	}
	r.Cleanup(func() { conn.Close() })
	if err := conn.SetDeadline(time.Now().Add(patience)); err != nil {
		r.Fatal(err)
	}
	return conn.(*net.TCPConn)
}

// logBuffer is a log that tests read.
type logBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *logBuffer) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

// String returns what was logged above INFO.
func (l *logBuffer) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	var out strings.Builder
	for line := range strings.Lines(l.b.String()) {
		if !strings.Contains(line, "level=INFO") {
			out.WriteString(line)
		}
	}
	return out.String()
}

// all returns everything that was logged.
func (l *logBuffer) all() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}
