package client

import "testing"

func TestReadProxyStatus(t *testing.T) {
	for _, tt := range []struct {
		line string
		want ProxyStatus
		who  Refuser
	}{
		{`plimsoll; error=connection_limit_reached; details="queue_full"`, ProxyStatus{true, "connection_limit_reached", "queue_full"}, Full},
		{`plimsoll; error=http_response_timeout; details="expired"`, ProxyStatus{true, "http_response_timeout", "expired"}, Full},
		{`plimsoll; details="cancelled"`, ProxyStatus{true, "", "cancelled"}, Full},
		{`plimsoll; error=destination_unavailable; details="throttled"`, ProxyStatus{true, "destination_unavailable", "throttled"}, Full},
		{`plimsoll; error=destination_unavailable; details="draining"`, ProxyStatus{true, "destination_unavailable", "draining"}, Leaving},
		{`plimsoll; error=destination_unavailable; details="breaker_open"`, ProxyStatus{true, "destination_unavailable", "breaker_open"}, NobodyBehind},
		{`plimsoll; error=destination_unavailable`, ProxyStatus{true, "destination_unavailable", ""}, NobodyBehind},
		{`plimsoll; error=connection_terminated`, ProxyStatus{true, "connection_terminated", ""}, Nobody},
		{` plimsoll ;error=dns_error ; x`, ProxyStatus{true, "dns_error", ""}, Nobody},
		{`edge; error=connection_limit_reached, plimsoll; error=dns_error`, ProxyStatus{false, "connection_limit_reached", ""}, Nobody},
		{`edge; error=destination_unavailable; details="draining"`, ProxyStatus{false, "destination_unavailable", "draining"}, Nobody},
		{`plimsoll`, ProxyStatus{}, Nobody},
		{`plimsoll2; error=connection_limit_reached`, ProxyStatus{false, "connection_limit_reached", ""}, Nobody},
		{`plimsoll; details="never ends`, ProxyStatus{true, "", "never ends"}, Full},
		{``, ProxyStatus{}, Nobody},
	} {
		if got := ReadProxyStatus([]string{tt.line}); got != tt.want || got.Refuser() != tt.who {
			t.Errorf("%q: have %+v of %d, want %+v of %d", tt.line, got, got.Refuser(), tt.want, tt.who)
		}
	}
	if got := ReadProxyStatus(nil); got != (ProxyStatus{}) {
		t.Errorf("of none: %+v", got)
	}
	if n := testing.AllocsPerRun(100, func() {
		ReadProxyStatus([]string{`plimsoll; error=destination_unavailable; details="draining"`}).Refuser()
	}); n > 0 {
		t.Errorf("%v allocations, want none", n)
	}
}

// FuzzReadProxyStatus: what others have written is read without a panic, and is
// part of what they wrote.
func FuzzReadProxyStatus(f *testing.F) {
	f.Add(`plimsoll; error=destination_unavailable; details="draining"`)
	f.Add(`edge; error=a, b; details="`)
	f.Fuzz(func(t *testing.T, line string) {
		s := ReadProxyStatus([]string{line})
		if len(s.Error) > len(line) || len(s.Details) > len(line) {
			t.Errorf("%q: %+v", line, s)
		}
		if who := s.Refuser(); !s.Own && who != Nobody || who > NobodyBehind {
			t.Errorf("%q: %+v of %d", line, s, who)
		}
	})
}
