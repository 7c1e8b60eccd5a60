package bounds

import "fmt"

// listener adds what a caller meets before a gate.
func (m *model) listener(i int) {
	l := m.config.Listeners[i]
	hop := "listener " + l.Address
	key := func(name string) string { return fmt.Sprintf("listeners[%d].%s", i, name) }
	m.system(hop, "accept backlog", m.now.Backlog, "connections", "net.core.somaxconn",
		"the handshake is not completed: the caller tries again after a second and more, and sees a slow connect")
	open := m.system(hop, "file descriptors", m.now.Files, "descriptors", "RLIMIT_NOFILE (ulimit -n)",
		"nothing is accepted for up to a second, and no connection to a service is made: 502")
	if m.now.FilesOpen > 0 && m.now.Process != 0 {
		open.Used = of(m.now.FilesOpen)
	}
	connections := m.add(hop, "connections", key("maxConnections"), orNone(l.MaxConnections, "connections"),
		"further ones wait in the accept backlog until one closes")
	if now, ok := m.now.listener(l.Address); ok {
		connections.Used = of(now.Connections)
	}
	m.add(hop, "header time", key("readHeaderTimeout"), seconds(l.ReadHeaderTimeout), "the connection is closed; no gate was asked")
	m.add(hop, "header size", key("maxHeaderBytes"), size(l.MaxHeaderBytes), "431; no gate was asked")
	m.add(hop, "streams of one HTTP/2 connection", key("maxStreams"), number(l.MaxStreams, "streams"),
		"the caller's next request waits on its side until one of its own has ended")
	m.add(hop, "time that a body stands still", key("bodyTimeout"), seconds(l.BodyTimeout), "408; a slot that it has is given back")
	m.add(hop, "bytes a second of a body", key("minBodyRate"), size(l.MinBodyRate), "less than this, on average, is answered with 408")
	m.add(hop, "idle time", key("idleTimeout"), seconds(l.IdleTimeout), "the connection is closed")
}

// system adds a bound that is the system's.
func (m *model) system(hop, name string, n int, unit, from, hit string) *Bound {
	v := value{unit: unit, text: "not known"}
	if n > 0 {
		v = number(n, unit)
	}
	b := m.add(hop, name, "", v, hit)
	b.From = from
	return b
}
