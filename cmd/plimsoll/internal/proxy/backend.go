package proxy

import (
	"fmt"
	"slices"

	"github.com/plimsoll-go/plimsoll/cmd/plimsoll/internal/config"
	"github.com/plimsoll-go/plimsoll/cmd/plimsoll/internal/egress"
	"github.com/plimsoll-go/plimsoll/cmd/plimsoll/internal/telemetry"
	"github.com/plimsoll-go/plimsoll/cmd/plimsoll/internal/upstream"
	"github.com/plimsoll-go/plimsoll/cmd/plimsoll/internal/watch"
)

// backend is an upstream as a table has it: it goes from table to table, with
// its connections and what is known of its endpoints, for as long as its
// settings stay what they are.
type backend struct {
	*upstream.Service
	caller *egress.Caller // nil: every request is sent once
	config config.Upstream
	files  watch.Fingerprint // of the files that the settings name
}

// backends makes what carries requests to the upstreams of the configuration,
// as far as it is not there yet.
func (n *next) backends(before []*backend) error {
	for _, u := range n.table.config.Upstreams {
		files := watch.FingerprintOf(filesOf(u)...)
		i := slices.IndexFunc(before, func(b *backend) bool { return b.config.Equal(u) && b.files == files })
		if i >= 0 {
			n.table.upstreams = append(n.table.upstreams, before[i])
			continue
		}
		made, err := upstream.New(u)
		if err != nil {
			return err
		}
		b := &backend{Service: made, config: u, files: files}
		n.table.upstreams, n.made = append(n.table.upstreams, b), append(n.made, b)
		if b.caller, err = egress.New(made, u); err != nil {
			return fmt.Errorf("upstream %s: %w", u.Name, err)
		}
	}
	return nil
}

// filesOf are the files that an upstream names.
func filesOf(u config.Upstream) []string {
	return []string{u.TLS.CA, u.TLS.Certificate, u.TLS.Key}
}

// view is what it looks like now.
func (b *backend) view() telemetry.Upstream {
	s := b.Snapshot()
	out := telemetry.Upstream{Name: s.Name}
	for _, e := range s.Endpoints {
		out.Endpoints = append(out.Endpoints, telemetry.Endpoint{
			URL: e.URL, Ejected: e.State == upstream.StateEjected || e.State == upstream.StateProbed, InFlight: e.InFlight,
			Requests: e.Chosen, Failures: e.Failed, Overloads: e.Refused, Ejections: e.Ejections,
		})
	}
	if b.caller != nil {
		out.Calls = b.caller.View()
	}
	return out
}
