package proxy

import (
	"bytes"
	"encoding/json"
	"log/slog"
	"strings"
	"testing"
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
