package main

import (
	"fmt"
	"os"
	"strings"
)

// files writes the proxy's configuration, again and again.
type files struct {
	path          string
	listen, admin string
	web           []string // addresses of the endpoints
	rpc           string
}

// good writes a whole file. Each differs from the one before.
func (f files) good(n int) error {
	return os.WriteFile(f.path, fmt.Appendf(nil, `version: 1
name: soak
admin: %s
listeners: [{address: "%s"}]
upstreams:
  web: {endpoints: [%s], ejection: {failures: 5, time: 1s, atMost: 50%%}}
  rpc: {endpoints: ["h2c://%s"]}
gates:
  web: {maxWait: %dms}
  rpc: {limit: 64}
routes:
  - {name: rpc, match: {path: "/grpc.testing.TestService/*"}, upstream: rpc}
  - {name: socket, match: {path: /socket}, upstream: web, stream: true}
  - {name: web, upstream: web}
timeout: 2s
record: {file: trace.csv, maxSize: 1MiB, keep: 1000}
`, f.admin, f.listen, "http://"+strings.Join(f.web, ", http://"), f.rpc, 200+n%2*50), 0o644)
}

// broken writes a file that has to be refused.
func (f files) broken(n int) error {
	text := "version: 1\nupstreams: {web: {endpoints: [nonsense]}}\n"
	if n%2 == 1 {
		text = "version: 1\nupstreams:\n  - [\n"
	}
	return os.WriteFile(f.path, []byte(text), 0o644)
}
