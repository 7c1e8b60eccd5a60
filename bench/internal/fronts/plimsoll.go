package fronts

import (
	"context"
	"os"
	"path/filepath"
	"strings"

	"github.com/plimsoll-go/plimsoll/bench/internal/process"
)

var plimsoll = Front{
	Name: Plimsoll, Title: "plimsoll proxy", start: startPlimsoll,
	File:  func(Facts) string { return plimsollFile("127.0.0.1:8080", "127.0.0.1:9090", "127.0.0.1:8081") },
	Tuned: "Not at all. It is told where to listen, what stands behind it, and that its callers are ours, who may say what is critical.",
}

func plimsollFile(address, admin, upstream string) string {
	return strings.NewReplacer("ADDRESS", address, "ADMIN", admin, "UPSTREAM", upstream).Replace(`version: 1
admin: "ADMIN"
listeners: [{address: "ADDRESS"}]
upstreams: {service: {endpoints: ["http://UPSTREAM"]}}
trust: {everyone: true}
`)
}

func startPlimsoll(_ context.Context, s Site) (*process.Process, error) {
	file := filepath.Join(s.Folder, "proxy.yaml")
	if err := os.WriteFile(file, []byte(plimsollFile("127.0.0.1:0", "127.0.0.1:0", s.Upstream)), 0o600); err != nil {
		return nil, err
	}
	return process.Start(s.Program, "proxy", "--config", file, "--no-watch", "--drain", "0s")
}
