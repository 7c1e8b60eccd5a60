package client

import "strings"

// ProxyStatus is what the answer of a proxy says of itself, by RFC 9209: the
// error that kept it from one of its service. The zero value says nothing.
type ProxyStatus struct {
	Own     bool   // a gate or a proxy of Plimsoll's has written it
	Error   string // of RFC 9209, section 2.3; "": none is said
	Details string // of our own, the name of a plimsoll.Reason or of a [Reason]
}

// ReadProxyStatus reads the first line of a Proxy-Status. It allocates nothing.
func ReadProxyStatus(lines []string) (s ProxyStatus) {
	if len(lines) == 0 {
		return s
	}
	from, rest, ok := strings.Cut(lines[0], ";")
	s.Own = ok && strings.TrimSpace(from) == "plimsoll"
	if _, after, ok := strings.Cut(rest, "error="); ok {
		if s.Error = after; strings.ContainsAny(after, "; ,") {
			s.Error = after[:strings.IndexAny(after, "; ,")]
		}
	}
	if _, after, ok := strings.Cut(rest, `details="`); ok {
		s.Details, _, _ = strings.Cut(after, `"`)
	}
	return s
}

// Refuser is who has refused an attempt.
type Refuser uint8

// Those who refuse.
const (
	Nobody       Refuser = iota // that is known: what was found is that the service is broken, say
	Full                        // a gate, or the throttle of a proxy before it: there was no room, or the answer would have been late
	Leaving                     // a gate that drains: another instance may serve at once
	NobodyBehind                // a proxy that has nobody to send to, or whose breaker is open
)

// draining is the name of plimsoll.Draining.
const draining = "draining"

// Refuser is who has refused, if one of Plimsoll's has; of others it is Nobody.
func (s ProxyStatus) Refuser() Refuser {
	if !s.Own {
		return Nobody
	}
	switch s.Error {
	case "", "connection_limit_reached", "http_response_timeout":
		return Full
	case "destination_unavailable":
		switch s.Details {
		case Throttled.String():
			return Full
		case draining:
			return Leaving
		}
		return NobodyBehind
	}
	return Nobody
}
