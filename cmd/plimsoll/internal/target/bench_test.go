//go:build unix

package target

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/plimsoll-go/plimsoll/cmd/plimsoll/internal/mix"
	"github.com/plimsoll-go/plimsoll/cmd/plimsoll/internal/openloop"
)

// serveVariable makes the test binary a trivial server of its own, so that what
// it takes to serve is not in what it takes to ask.
const serveVariable = "PLIMSOLL_TARGET_TEST_SERVE"

func TestMain(m *testing.M) {
	if os.Getenv(serveVariable) != "" {
		serveTrivially()
		return
	}
	os.Exit(m.Run())
}

func serveTrivially() {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		panic(err)
	}
	fmt.Println("http://" + l.Addr().String())
	s := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "hello") }), Protocols: new(http.Protocols)}
	s.Protocols.SetHTTP1(true)
	s.Protocols.SetUnencryptedHTTP2(true)
	_ = s.Serve(l)
}

// trivialServer starts one in another process and returns its URL.
func trivialServer(b *testing.B) string {
	b.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), serveVariable+"=1")
	out, err := cmd.StdoutPipe()
	if err != nil {
		b.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = cmd.Process.Kill(); _ = cmd.Wait() })
	base, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		b.Fatal(err)
	}
	return base[:len(base)-1]
}

func cpuTime() time.Duration {
	var used syscall.Rusage
	_ = syscall.Getrusage(syscall.RUSAGE_SELF, &used)
	return time.Duration(used.Utime.Nano() + used.Stime.Nano())
}

// BenchmarkAttempt has an attempt of this package beside one of net/http, as bare
// as it can be and with a deadline. What counts is attempts/core-s: how many a second
// of one core makes, whoever else is on it.
func BenchmarkAttempt(b *testing.B) {
	base := trivialServer(b)
	u, err := url.Parse(base)
	if err != nil {
		b.Fatal(err)
	}
	one, two := &mix.Class{Name: "one"}, &mix.Class{Name: "two", Protocol: mix.HTTP2}
	to, err := Dial(u, []*mix.Class{one, two}, Options{})
	if err != nil {
		b.Fatal(err)
	}
	defer func() { _ = to.Close() }()
	try := func(index int, c *mix.Class) func() bool {
		r := &mix.Request{Class: c, Index: index, Path: c.Path}
		ctx, cancel := context.WithCancel(b.Context())
		b.Cleanup(cancel)
		return func() bool { return to.Try(ctx, r, 1, 10*time.Second).Outcome == openloop.Good }
	}
	plain := openloop.Transport()
	defer plain.CloseIdleConnections()
	r, err := http.NewRequest(http.MethodGet, base, nil)
	if err != nil {
		b.Fatal(err)
	}
	for _, each := range []struct {
		name string
		ask  func() bool
	}{
		{"target", try(0, one)},
		{"h2c", try(1, two)},
		{"transport", func() bool {
			resp, err := plain.RoundTrip(r)
			if err != nil {
				return false
			}
			_, err = io.Copy(io.Discard, resp.Body)
			_ = resp.Body.Close()
			return err == nil
		}},
		{"deadline", func() bool {
			o, _ := openloop.Attempt(b.Context(), plain, r, 10*time.Second)
			return o == openloop.Good
		}},
	} {
		for _, callers := range []int{4, 64} {
			b.Run(fmt.Sprintf("%s/%d", each.name, callers), func(b *testing.B) { share(b, callers, each.ask) })
		}
	}
}

// share has so many callers make b.N attempts.
func share(b *testing.B, callers int, ask func() bool) {
	work := make(chan struct{}, b.N)
	for range b.N {
		work <- struct{}{}
	}
	close(work)
	b.ReportAllocs()
	used := cpuTime()
	var asking sync.WaitGroup
	for range callers {
		asking.Go(func() {
			for range work {
				if !ask() {
					b.Error("not answered well")
					return
				}
			}
		})
	}
	asking.Wait()
	b.ReportMetric(float64(b.N)/(cpuTime()-used).Seconds(), "attempts/core-s")
}
