package wire

import (
	"maps"
	"net/textproto"
	"slices"
	"testing"
	"time"

	"github.com/plimsoll-go/plimsoll/class"
)

func TestWrite(t *testing.T) {
	const ms = time.Millisecond
	full := Tag{Criticality: class.Sheddable, Level: 9, Tenant: "acme", Attempt: 2}
	type headers = map[string][]string
	tests := []struct {
		name      string
		c         Config
		tag       Tag
		remaining time.Duration
		before    headers
		after     headers
	}{
		{"nothing to say", Config{}, Tag{}, class.Forever, headers{"Accept": {"a", "b"}}, headers{"Accept": {"a", "b"}}},
		{"all of it", Config{}, full, 1500 * ms, headers{}, headers{
			standard: {"1500"}, CriticalityHeader: {"SHEDDABLE"}, BaggageHeader: {"criticality=sheddable"}, AttemptHeader: {"2"},
		}},
		{"rounded down", Config{}, Tag{}, 2*ms - 1, headers{}, headers{standard: {"1"}}},
		{"expired", Config{}, Tag{}, -time.Hour, headers{}, headers{standard: {"0"}}},
		{"another name", Config{TimeoutHeader: "X-Budget-Ms"}, Tag{}, 5 * ms, headers{}, headers{"X-Budget-Ms": {"5"}}},
		{"gRPC", Config{}, full, 1500 * ms, headers{contentTypeHeader: {"application/grpc"}, grpcCriticalityHeader: {"critical_plus"}}, headers{
			contentTypeHeader: {"application/grpc"}, standard: {"1500"}, grpc: {"1500000u"},
			CriticalityHeader: {"SHEDDABLE"}, grpcCriticalityHeader: {"SHEDDABLE"}, BaggageHeader: {"criticality=sheddable"},
			AttemptHeader: {"2"}, grpcAttemptsHeader: {"1"},
		}},
		{"a first gRPC attempt", Config{}, Tag{Attempt: 1}, class.Forever, headers{contentTypeHeader: {"application/grpc"}, grpcAttemptsHeader: {"7"}, grpcCriticalityHeader: {"x"}}, headers{
			contentTypeHeader: {"application/grpc"}, AttemptHeader: {"1"},
		}},
		{"theirs are overwritten", Config{}, Tag{Criticality: class.Critical}, 70 * ms, headers{
			standard: {"9", "x"}, envoy: {"9000"}, connect: {"9000"}, grpc: {"9S"}, CriticalityHeader: {"vip"}, BaggageHeader: {"criticality=vip,a=1"}, AttemptHeader: {"99"},
		}, headers{
			standard: {"70"}, envoy: {"70"}, connect: {"70"}, grpc: {"70000000n"}, CriticalityHeader: {"CRITICAL"}, BaggageHeader: {"a=1,criticality=critical"},
		}},
		{"or removed", Config{}, Tag{}, class.Forever, headers{
			standard: {"9"}, envoy: {"9000"}, connect: {"9000"}, grpc: {"9S"}, CriticalityHeader: {"vip"}, BaggageHeader: {"criticality=vip"}, AttemptHeader: {"99"},
		}, headers{}},
		{"what does not fit", Config{}, Tag{Criticality: 99, Attempt: 99}, class.Forever - 1, headers{connect: {""}}, headers{
			standard: {"9223372036854"}, connect: {"9999999999"}, AttemptHeader: {"16"},
		}},
		{"a negative attempt", Config{}, Tag{Attempt: -1}, class.Forever, headers{}, headers{}},
	}
	for _, tt := range tests {
		shared := maps.Clone(tt.before) // the same slices
		want := map[string][]string{}
		for k, v := range tt.before {
			want[k] = slices.Clone(v)
		}
		tt.c.Write(tt.before, tt.tag, tt.remaining)
		if !maps.EqualFunc(tt.before, tt.after, slices.Equal) {
			t.Errorf("%s: %q, want %q", tt.name, tt.before, tt.after)
		}
		if !maps.EqualFunc(shared, want, slices.Equal) {
			t.Errorf("%s: slices of the caller have changed to %q", tt.name, shared)
		}
	}
	h := headers{}
	if Write(h, full, time.Second); h[standard][0] != "1000" {
		t.Errorf("the function Write: %q", h)
	}
}

// The names are spelt as net/http spells them, or no header would be found.
func TestNamesAreCanonical(t *testing.T) {
	for _, name := range []string{
		TimeoutHeader, CriticalityHeader, AttemptHeader, BaggageHeader, grpcTimeoutHeader, grpcAttemptsHeader,
		grpcCriticalityHeader, connectTimeoutHeader, envoyTimeoutHeader, secPurposeHeader, priorityHeader, contentTypeHeader,
	} {
		if want := textproto.CanonicalMIMEHeaderKey(name); name != want {
			t.Errorf("%q, want %q", name, want)
		}
	}
}
