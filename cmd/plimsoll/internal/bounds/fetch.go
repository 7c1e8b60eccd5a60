package bounds

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"time"
)

const (
	fetchTimeout = 2 * time.Second
	maxAnswer    = 1 << 20
)

// Fetch asks a running proxy, by its admin address, for its chain.
func Fetch(ctx context.Context, admin string) (*Chain, error) {
	ctx, cancel := context.WithTimeout(ctx, fetchTimeout)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+reachable(admin)+"/bounds", nil)
	if err != nil {
		return nil, err
	}
	transport := &http.Transport{DisableKeepAlives: true} // no proxy of the environment: it is our own
	resp, err := (&http.Client{Transport: transport}).Do(req)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	var c Chain
	err = json.NewDecoder(io.LimitReader(resp.Body, maxAnswer)).Decode(&c)
	if resp.StatusCode != http.StatusOK || err != nil || c.Bounds == nil {
		return nil, fmt.Errorf("what answers at %s is no proxy that knows its bounds (status %d)", admin, resp.StatusCode)
	}
	return &c, nil
}

// reachable is where to find what listens on an address, which may be every
// address of the machine.
func reachable(address string) string {
	host, port, err := net.SplitHostPort(address)
	if err != nil {
		return address
	}
	if ip := net.ParseIP(host); host == "" || ip != nil && ip.IsUnspecified() {
		host = "localhost"
	}
	return net.JoinHostPort(host, port)
}

// NotInForce says in which bounds of the settings a running proxy differs from
// a chain that was made of a file.
func (c *Chain) NotInForce(running *Chain) []Warning {
	type place struct{ hop, name string }
	theirs, hops := map[place]Bound{}, map[string]bool{}
	for _, b := range running.Bounds {
		theirs[place{b.Hop, b.Name}] = b
		hops[b.Hop] = true
	}
	var out []Warning
	said := map[string]bool{}
	for _, b := range c.Bounds {
		switch r, ok := theirs[place{b.Hop, b.Name}]; {
		case b.Key == "" || said[b.Hop]:
		case !hops[b.Hop]:
			said[b.Hop] = true
			out = append(out, Warning{"not-in-force", b.Key, b.From, fmt.Sprintf("the running proxy has no %s; reload it", b.Hop)})
		case !ok:
			out = append(out, Warning{"not-in-force", b.Key, b.From, fmt.Sprintf("the running proxy has no bound of %s at %s; reload it", b.Name, b.Hop)})
		case r.Value != b.Value:
			out = append(out, Warning{"not-in-force", b.Key, b.From, fmt.Sprintf("the running proxy has %s for %s at %s, and not %s; reload it", r.Value, b.Name, b.Hop, b.Value)})
		}
	}
	return out
}
