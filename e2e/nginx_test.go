package e2e

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"
)

// nginx starts nginx before an address, and returns its own.
func nginx(t testing.TB, upstream string) string {
	t.Helper()
	program := need(t, "nginx")
	dir := t.TempDir()
	addr := addresses(t, 1)[0]
	conf := filepath.Join(dir, "nginx.conf")
	if err := os.WriteFile(conf, fmt.Appendf(nil, `
daemon off;
worker_processes 1;
pid %[1]s/pid;
error_log stderr error;
events { worker_connections 2048; }
http {
	access_log off;
	client_body_temp_path %[1]s/body; proxy_temp_path %[1]s/proxy; fastcgi_temp_path %[1]s/f; uwsgi_temp_path %[1]s/u; scgi_temp_path %[1]s/s;
	client_max_body_size 0;
	upstream gate { server %[3]s; keepalive 64; }
	server {
		listen %[2]s;
		location / {
			proxy_pass http://gate;
			proxy_http_version 1.1;
			proxy_set_header Connection "";
			proxy_buffering off;
			proxy_request_buffering off;
		}
	}
}
`, dir, addr, upstream), 0o644); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(program, "-c", conf, "-p", dir, "-e", "stderr")
	cmd.Stderr = os.Stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Signal(os.Interrupt)
		_ = cmd.Wait() // it ends by the signal
	})
	return addr
}

// afresh dials for every exchange of a protocol. An upload that is refused
// before its end finds nginx still reading: it promises to keep the connection,
// discards what else arrives on it, and closes it (reading_body in
// ngx_http_finalize_connection). Another upload there may fail or not, by who is
// faster, and not by what the proxy said.
func afresh(p func(*rig, *http.Client) func(context.Context) error) func(*rig) func(context.Context) error {
	return func(r *rig) func(context.Context) error {
		c := r.client(false)
		c.Transport.(*http.Transport).DisableKeepAlives = true
		return p(r, c)
	}
}

// Behind nginx, which keeps its connections to the proxy, refusals arrive as
// they were said.
func TestBehindNginx(t *testing.T) {
	protocols := []protocol{
		{"get", over(false, keepAlive)},
		{"upload", afresh(upload)},
		{"download", over(false, download)},
		{"server_sent_events", over(false, serverSentEvents)},
	}
	behind := func(t *testing.T, r *rig) *rig {
		front := *r
		at := nginx(t, r.Listen)
		front.url = "http://" + at
		front.until("nginx answers", func() bool {
			_, err := front.get(t.Context(), front.client(false), "/healthz")
			return err == nil
		})
		return &front
	}
	t.Run("calm", func(t *testing.T) {
		r, _ := before(t)
		front := behind(t, r)
		for _, p := range protocols {
			t.Run(p.name, func(t *testing.T) { calm(t, front, p) })
		}
		r.quiet()
	})
	t.Run("full", func(t *testing.T) {
		r, h := before(t, "--limit", "1", "--max-queue", "0", "--timeout", "30s")
		front := behind(t, r)
		for _, p := range protocols {
			t.Run(p.name, func(t *testing.T) { full(t, front, p, func() func() { return occupy(r, h) }) })
		}
		r.quiet()
	})
	t.Run("overload", func(t *testing.T) {
		r, _ := before(t, "--limit", "4", "--max-wait", "100ms")
		front := behind(t, r)
		load := begin(front, loadOf{limit: 4, service: 20 * time.Millisecond, times: 3})
		for _, p := range protocols {
			t.Run(p.name, func(t *testing.T) { persist(t, front, p, 2) })
		}
		load.check(t)
		r.quiet()
	})
}
