package fronts

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/plimsoll-go/plimsoll/bench/internal/process"
)

var haproxy = Front{
	Name: "haproxy", Title: "HAProxy, maxconn and queue", Need: "haproxy", start: startHAProxy, File: haproxyFile,
	Tuned: "`maxconn`, `timeout queue` and `maxqueue` ([its manual](https://docs.haproxy.org/2.6/configuration.html), 4.2 and 5.2), and what the manual has for " +
		"classes: `http-request set-priority-class`, by which its queue is ordered, and `http-request deny` by the length of the queue. `maxconn`: " +
		"eight times the slots, room for a service whose dependency is slower; what waits there for a slot is no longer ordered. `timeout queue`: the deadline, " +
		"less what the service takes for `maxconn` requests at half its capacity. SHEDDABLE is denied behind fewer than `maxconn` who wait, all but " +
		"CRITICAL_PLUS behind as many as half the capacity still serves in time, CRITICAL_PLUS at `maxqueue`, half as many again. Callers who leave are " +
		"taken out of the queue (`abortonclose`); connections are kept and shared (`http-reuse always`); no retries.",
}

func haproxyFile(f Facts) string { return f.haproxy("127.0.0.1:8080", "127.0.0.1:8081") }

// haproxy is the configuration for an address and a service.
func (f Facts) haproxy(address, upstream string) string {
	half := f.Capacity() / 2
	maxconn := 8 * f.Slots
	inTime := 0.93*f.Deadline.Seconds() - float64(maxconn)/half // what is left for the queue
	ordinary := int(half * inTime)
	return strings.NewReplacer("ADDRESS", address, "UPSTREAM", upstream,
		"MAXCONN", fmt.Sprint(maxconn), "LOW", fmt.Sprint(maxconn*3/4), "ORDINARY", fmt.Sprint(ordinary), "MAXQUEUE", fmt.Sprint(ordinary*3/2),
		"WAIT", fmt.Sprintf("%dms", int(1000*inTime)), "DEADLINE", fmt.Sprintf("%dms", f.Deadline.Milliseconds()),
	).Replace(haproxyText)
}

const haproxyText = `global
    maxconn 9000
defaults
    mode http
    timeout client 1m
    timeout connect DEADLINE
    timeout server DEADLINE
    timeout queue WAIT
    retries 0
    option abortonclose
    http-reuse always
frontend callers
    bind ADDRESS backlog 4096
    maxconn 9000
    acl plus req.hdr(x-request-criticality) CRITICAL_PLUS
    acl low req.hdr(x-request-criticality) SHEDDABLE
    http-request set-priority-class int(-1) if plus
    http-request set-priority-class int(1) if low
    http-request deny deny_status 503 if low { queue(service) ge LOW }
    http-request deny deny_status 503 if !plus { queue(service) ge ORDINARY }
    default_backend service
backend service
    balance source                              # the server is given, so that maxqueue counts
    server one UPSTREAM maxconn MAXCONN maxqueue MAXQUEUE
`

func startHAProxy(ctx context.Context, s Site) (*process.Process, error) {
	address, err := freeAddress()
	if err != nil {
		return nil, err
	}
	file := filepath.Join(s.Folder, "haproxy.cfg")
	if err := os.WriteFile(file, []byte(s.haproxy(address, s.Upstream)), 0o600); err != nil {
		return nil, err
	}
	return process.StartAt(ctx, address, s.Program, "-db", "-f", file)
}
