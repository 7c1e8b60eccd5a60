package e2e

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os/exec"
	"strings"
	"testing"
	"time"
)

// node starts a script on Node, which ends with its standard input: when the
// test ends.
func node(t testing.TB, args ...string) (io.Writer, *bufio.Reader) {
	t.Helper()
	return child(t, exec.Command(need(t, "node"), args...))
}

// child starts a program that ends with its standard input: when the test ends.
func child(t testing.TB, cmd *exec.Cmd) (io.Writer, *bufio.Reader) {
	t.Helper()
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = in.Close()
		if err := cmd.Wait(); err != nil {
			t.Error(err)
		}
	})
	return in, bufio.NewReader(out)
}

// nodeExchanges are what testdata/fetch.mjs can do, and how the answers begin.
var nodeExchanges = []struct{ what, body string }{
	{"get", "done"},
	{"upload", "300000 true"},
	{"stream", "327680 "},
	{"events", "3 events"},
}

// nodeFetch does each exchange by Node's fetch. It is refused if one of them is.
func nodeFetch(r *rig) func(context.Context) error {
	in, out := node(r.TB, "testdata/fetch.mjs", r.url)
	return func(context.Context) (refusal error) {
		for _, e := range nodeExchanges {
			if _, err := fmt.Fprintln(in, e.what); err != nil {
				return err
			}
			line, err := out.ReadBytes('\n')
			if err != nil {
				return err
			}
			switch err := nodeVerdict(line, e.body); {
			case errors.As(err, new(*refused)):
				refusal = err
			case err != nil:
				return fmt.Errorf("%s: %w", e.what, err)
			}
		}
		return refusal
	}
}

func nodeVerdict(line []byte, body string) error {
	var have struct {
		Status      int
		Headers     map[string]string
		Body, Error string
	}
	if err := json.Unmarshal(line, &have); err != nil || have.Error != "" {
		return fmt.Errorf("node printed %q, %v", line, err)
	}
	h := http.Header{}
	for name, v := range have.Headers {
		h.Set(name, v)
	}
	if err := verdict(have.Status, h, have.Body); err != nil {
		return err
	}
	if !strings.HasPrefix(have.Body, body) {
		return fmt.Errorf("answered %.200q, want %q", have.Body, body)
	}
	return nil
}

func TestNodeFetch(t *testing.T) {
	need(t, "node")
	playAll(t, []protocol{{"fetch", nodeFetch}})
}

// nodeServer starts a service on Node, of HTTP/1.1 or "h2", and returns its
// address.
func nodeServer(t testing.TB, kind string) string {
	t.Helper()
	_, out := node(t, "testdata/server.mjs", kind)
	port, err := out.ReadString('\n')
	if err != nil {
		t.Fatalf("the service on Node does not start: %v", err)
	}
	return "127.0.0.1:" + strings.TrimSpace(port)
}

// A service on Node, whose HTTP is nobody else's.
func TestNodeServer(t *testing.T) {
	protocols := []protocol{
		{"HTTP1_keep_alive", over(false, keepAlive)},
		{"h2c", over(true, keepAlive)},
		{"upload_HTTP1", over(false, upload)},
		{"upload_h2c", over(true, upload)},
		{"hints_103", over(false, hints)},
		{"expect_100", over(false, expect)},
		{"server_sent_events", over(true, serverSentEvents)},
	}
	for kind, scheme := range map[string]string{"h1": "http://", "h2": "h2c://"} {
		t.Run(kind, func(t *testing.T) {
			at := nodeServer(t, kind)
			t.Run("calm", func(t *testing.T) {
				r := start(t, scheme+at)
				for _, p := range protocols {
					t.Run(p.name, func(t *testing.T) { calm(t, r, p) })
				}
				r.quiet()
			})
			t.Run("overload", func(t *testing.T) {
				r := start(t, scheme+at, "--limit", "4", "--max-wait", "100ms")
				load := begin(r, loadOf{limit: 4, service: 20 * time.Millisecond, times: 3})
				for _, p := range protocols {
					t.Run(p.name, func(t *testing.T) { persist(t, r, p, 2) })
				}
				load.check(t)
				r.quiet()
			})
		})
	}
}
