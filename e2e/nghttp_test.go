package e2e

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os/exec"
	"regexp"
	"strings"
	"testing"
)

// nghttp runs nghttp2's client and returns the answer that it read.
func nghttp(ctx context.Context, args ...string) (a answer, informed int, err error) {
	out, err := exec.CommandContext(ctx, "nghttp", append([]string{"-v", "--timeout=20"}, args...)...).CombinedOutput()
	if err != nil {
		return a, 0, fmt.Errorf("nghttp: %w: %.500s", err, out)
	}
	a.Response = &http.Response{Header: http.Header{}}
	for _, m := range recvHeader.FindAllStringSubmatch(string(out), -1) {
		if m[1] != ":status" {
			a.Header.Set(m[1], m[2])
			continue
		}
		if a.StatusCode > 0 && a.StatusCode < 200 {
			informed++
			a.Header = http.Header{}
		}
		if _, err := fmt.Sscan(m[2], &a.StatusCode); err != nil {
			return a, informed, fmt.Errorf("nghttp: status %q", m[2])
		}
	}
	if m := shortBody.FindStringSubmatch(string(out)); m != nil {
		a.body = m[1]
		if a.StatusCode != http.StatusOK {
			a.body += "\n"
		}
	}
	return a, informed, nil
}

var (
	recvHeader = regexp.MustCompile(`(?m)recv \(stream_id=\d+\) (:?[\w-]+): (.*)$`)
	shortBody  = regexp.MustCompile(`(?m)^(done|refused: .*|\d+ [0-9a-f]{64})`)
)

func nghttpProtocols(t testing.TB) []protocol {
	file := bodyFile(t)
	return []protocol{
		{"get", func(r *rig) func(context.Context) error {
			return func(ctx context.Context) error {
				a, _, err := nghttp(ctx, r.url+"/work?ms=1")
				return errors.Join(of(a, err))
			}
		}},
		{"upload", func(r *rig) func(context.Context) error {
			return func(ctx context.Context) error {
				a, _, err := nghttp(ctx, "-d", file, r.url+"/sum")
				if err := of(a, err); err != nil {
					return err
				}
				return want(a.body, fmt.Sprintf("%d %s", bodySize, bodySum))
			}
		}},
		{"hints_103", func(r *rig) func(context.Context) error {
			return func(ctx context.Context) error {
				a, informed, err := nghttp(ctx, r.url+"/hints")
				if err := of(a, err); err != nil {
					return err
				}
				return want(fmt.Sprint(informed), "1")
			}
		}},
	}
}

func TestNghttp(t *testing.T) {
	need(t, "nghttp")
	playAll(t, nghttpProtocols(t))
}

// h2load counts: every request has to get a whole answer, served or refused.
func TestH2load(t *testing.T) {
	need(t, "h2load")
	for name, c := range map[string]struct {
		flags  []string // of the proxy
		http11 bool
		all    bool // have to be served
	}{
		"h2c":             {flags: []string{"--limit", "200"}, all: true},
		"HTTP1":           {flags: []string{"--limit", "200"}, http11: true, all: true},
		"h2c_overload":    {flags: []string{"--limit", "4", "--max-wait", "20ms"}},
		"HTTP1_overload":  {flags: []string{"--limit", "4", "--max-wait", "20ms"}, http11: true},
		"h2c_no_queue":    {flags: []string{"--limit", "2", "--max-queue", "0"}},
		"HTTP1_429_at_it": {flags: []string{"--limit", "2", "--max-queue", "0", "--status-when-full", "429"}, http11: true},
	} {
		t.Run(name, func(t *testing.T) {
			r, _ := before(t, c.flags...)
			args := []string{"-n", "1000", "-c", "10", "-m", "10"}
			if c.http11 {
				args = append(args, "--h1")
			}
			out, err := exec.CommandContext(t.Context(), "h2load", append(args, r.url+"/work?ms=5")...).CombinedOutput()
			if err != nil {
				t.Fatalf("h2load: %v: %s", err, out)
			}
			text := string(out)
			if !strings.Contains(text, "1000 done") || !strings.Contains(text, "0 errored, 0 timeout") {
				t.Errorf("h2load:\n%s", text)
			}
			var ok, moved, client, server int
			line := text[strings.Index(text, "status codes: "):]
			if _, err := fmt.Sscanf(line, "status codes: %d 2xx, %d 3xx, %d 4xx, %d 5xx", &ok, &moved, &client, &server); err != nil {
				t.Fatalf("%v in %q", err, line)
			}
			t.Logf("%d served, %d refused", ok, client+server)
			if ok+client+server != 1000 || ok == 0 || c.all && ok != 1000 || !c.all && ok == 1000 {
				t.Errorf("%d 2xx, %d 3xx, %d 4xx, %d 5xx", ok, moved, client, server)
			}
			r.quiet()
		})
	}
}
