package proxy

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

func TestLogFormat(t *testing.T) {
	for _, c := range []struct {
		format  string
		verbose bool
		lines   int
		json    bool
	}{
		{"text", false, 1, false},
		{"json", false, 1, true},
		{"json", true, 2, true},
	} {
		var out bytes.Buffer
		log := slog.New((&Cmd{LogFormat: c.format, Verbose: c.verbose}).logHandler(&out))
		log.Info("serving", "listen", ":8080")
		log.Debug("a caller has left")
		lines := strings.Split(strings.TrimSpace(out.String()), "\n")
		if len(lines) != c.lines || json.Valid([]byte(lines[0])) != c.json {
			t.Errorf("%s, verbose %v: %q", c.format, c.verbose, lines)
		}
	}
}

// Who connects to a port and talks nonsense fills no log.
func TestHandshakesThatFailFillNoLog(t *testing.T) {
	dir := t.TempDir()
	certify(t, dir)
	r := play(t, fmt.Sprintf(`
upstreams: {shop: {endpoints: [http://shop]}}
listeners: [{address: ":8080", tls: {certificate: %[1]s/server.pem, key: %[1]s/server.key}}]
`, dir), map[string]http.Handler{"shop": named("shop")})
	const many = 300
	began := time.Now()
	for range many {
		conn, err := net.Dial("tcp", r.Addr())
		if err != nil {
			t.Fatal(err)
		}
		if _, err := io.WriteString(conn, "\x16\x03\x01nonsense"); err != nil {
			t.Fatal(err)
		}
		_, _ = io.Copy(io.Discard, conn) // until it is closed, which comes after the line
		_ = conn.Close()
	}
	most := portLines * int(time.Now().Unix()-began.Unix()+1)
	if n := strings.Count(r.log.String(), "TLS handshake error"); n == 0 || n > most {
		t.Errorf("%d lines of %d handshakes, want %d at most", n, many, most)
	}
}

// What was left out is said with the next line that is not.
func TestPortLog(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var out bytes.Buffer
		log := portLog(slog.New(slog.NewTextHandler(&out, nil))).With("port", 1).WithGroup("a")
		for range 500 {
			log.Warn("nonsense", "b", 2)
		}
		if n := strings.Count(out.String(), "msg=nonsense port=1 a.b=2\n"); n != portLines {
			t.Errorf("%d lines in a second", n)
		}
		time.Sleep(time.Second)
		log.Warn("nonsense")
		if n := strings.Count(out.String(), "left_out=490\n"); n != 1 {
			t.Errorf("%s", out.String())
		}
	})
}
