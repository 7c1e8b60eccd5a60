package bounds

import (
	"fmt"

	"github.com/plimsoll-go/plimsoll/cmd/plimsoll/internal/config"
	"github.com/plimsoll-go/plimsoll/cmd/plimsoll/internal/upstream"
)

// upstream adds what an admitted request meets on its way to the service.
func (m *model) upstream(u config.Upstream) {
	hop := "upstream " + u.Name
	key := func(name string) string { return "upstreams." + u.Name + "." + name }
	v := orNone(u.MaxConnections, "connections")
	if n := len(u.Endpoints); u.MaxConnections > 0 && n > 1 {
		v.text = fmt.Sprintf("%d to each of %d endpoints", u.MaxConnections, n)
		v.most = of(u.MaxConnections * n)
	}
	if u.MaxConnections == 0 {
		v.text = "none: as many as the limit lets through"
	}
	m.add(hop, "connections", key("maxConnections"), v, "the request keeps its slot and waits for a connection, until its deadline")
	m.own(hop, "connections being made", number(upstream.MaxDials*len(u.Endpoints), "connections"), "the request waits for one of them to end, for as long as a connection may take; then 502")
	m.add(hop, "time to connect", key("dialTimeout"), seconds(u.DialTimeout), "another endpoint is tried, once; then 502")
	for i, r := range m.config.Routes {
		if r.Upstream != u.Name || r.Timeout == 0 || r.Stream {
			continue
		}
		m.add(hop, "time until an answer to "+r.Name+" begins", m.routeKey(i, "timeout"), seconds(m.budget(r)), "504")
	}
	m.calls(hop, u)
	m.own(hop, "header size of an answer", size(upstream.MaxHeaderBytes), "502")
	m.add(hop, "idle time", key("idleTimeout"), seconds(u.IdleTimeout), "the connection is closed")
	if e := u.Ejection; e.Failures > 0 {
		out := e.Out(len(u.Endpoints))
		v := number(out, "endpoints")
		v.text = fmt.Sprintf("%d of %d", out, len(u.Endpoints))
		m.add(hop, "endpoints left out", key("ejection.atMost"), v, "the others stay, whatever they answer")
	}
}
