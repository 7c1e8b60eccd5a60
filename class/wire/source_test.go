package wire

import (
	"slices"
	"testing"
	"time"

	"github.com/plimsoll-go/plimsoll/class"
)

// Each source alone: what is claimed elsewhere is as if it were absent, and
// still does not reach the next hop.
func TestSources(t *testing.T) {
	claims := map[Sources][]string{
		FromHeader:     {CriticalityHeader, "sheddable"},
		FromBaggage:    {BaggageHeader, "criticality=sheddable"},
		FromGRPC:       {contentTypeHeader, "application/grpc", grpcCriticalityHeader, "sheddable"},
		FromSecPurpose: {secPurposeHeader, "prefetch"},
		FromPriority:   {priorityHeader, "u=7"},
	}
	for believed := range claims {
		for source, headers := range claims {
			c := &Config{Sources: believed, Trusted: true}
			h := with(bare(), headers...)
			in := c.Read(h)
			if got := in.Criticality == class.Sheddable; got != (source == believed) || in.InvalidCriticality {
				t.Errorf("believed from %v, claimed in %v: %+v", believed, source, in)
			}
			c.Write(h, in.Tag, time.Second)
			next := (&Config{Trusted: true, Sources: FromHeader | FromBaggage | FromGRPC}).Read(h)
			if next.Criticality != in.Criticality {
				t.Errorf("believed from %v, claimed in %v: the next hop reads %+v", believed, source, next)
			}
		}
	}
	for _, headers := range claims {
		if in := (&Config{Sources: NoSources}).Read(with(bare(), headers...)); in != (Incoming{}) {
			t.Errorf("%q, believed from nowhere: %+v", headers, in)
		}
	}
	// What is not asked is not faulty either.
	if in := (&Config{Sources: FromBaggage}).Read(with(bare(), CriticalityHeader, "vip")); in != (Incoming{}) {
		t.Errorf("%+v", in)
	}
}

func TestTrustedCeiling(t *testing.T) {
	for _, tt := range []struct {
		ceiling class.Criticality
		claim   string
		want    class.Criticality
		clamped bool
	}{
		{class.Unset, "critical_plus", class.CriticalPlus, false},
		{class.Critical, "critical_plus", class.Critical, true},
		{class.Critical, "sheddable", class.Sheddable, false},
		{class.Critical, "", class.Unset, false},
		{class.Sheddable, "", class.Sheddable, false},
	} {
		h := bare()
		if tt.claim != "" {
			h[CriticalityHeader] = []string{tt.claim}
		}
		in := (&Config{Trusted: true, TrustedCeiling: tt.ceiling}).Read(h)
		if in.Criticality != tt.want || in.Clamped != tt.clamped {
			t.Errorf("%v under %v: %+v", tt.claim, tt.ceiling, in)
		}
	}
}

func TestDialects(t *testing.T) {
	for _, tt := range []struct {
		dialects Dialects
		before   []string
		want     []string // the headers that carry 1.5 s
	}{
		{0, nil, []string{standard}},
		{DialectEnvoy, nil, []string{envoy}},
		{DialectGRPC, nil, []string{grpc}},
		{DialectPlimsoll | DialectGRPC | DialectEnvoy, nil, []string{standard, grpc, envoy}},
		{DialectEnvoy, []string{contentTypeHeader, "application/grpc"}, []string{envoy, grpc}},
		{DialectEnvoy, []string{standard, "9999", connect, "9999"}, []string{envoy, standard, connect}}, // brought up to date
		{DialectPlimsoll, []string{grpc, "9S"}, []string{standard, grpc}},
	} {
		c := &Config{Dialects: tt.dialects}
		h := with(bare(), tt.before...)
		c.Write(h, Tag{}, 1500*time.Millisecond)
		for _, name := range []string{standard, grpc, envoy, connect} {
			v, there := h[name]
			want := []string{"1500"}
			if name == grpc {
				want = []string{"1500000u"}
			}
			if there != slices.Contains(tt.want, name) || there && !slices.Equal(v, want) {
				t.Errorf("%v after %q: %s is %q", tt.dialects, tt.before, name, v)
			}
		}
		if c.Write(h, Tag{}, class.Forever); len(h) > 1 {
			t.Errorf("%v, no deadline: %q", tt.dialects, h)
		}
	}
}

func TestSetNames(t *testing.T) {
	for s := Sources(1); s < NoSources; s <<= 1 {
		if got, ok := ParseSource(s.String()); !ok || got != s {
			t.Errorf("%v is read as %v, %v", s, got, ok)
		}
	}
	for d := Dialects(1); d.valid(); d <<= 1 {
		if got, ok := ParseDialect(d.String()); !ok || got != d {
			t.Errorf("%v is read as %v, %v", d, got, ok)
		}
	}
	for _, name := range []string{"", "none", "Header", "x"} {
		if _, ok := ParseSource(name); ok {
			t.Errorf("source %q", name)
		}
		if _, ok := ParseDialect(name); ok {
			t.Errorf("dialect %q", name)
		}
	}
	if s := Sources(0).String(); s != "header, baggage, grpc, sec-purpose" {
		t.Errorf("the default sources: %s", s)
	}
	if NoSources.String() != "none" || Dialects(0).String() != "plimsoll" {
		t.Errorf("%v, %v", NoSources, Dialects(0))
	}
}

// The other half of H20: marks and orders of hops among themselves do not come
// in from outside.
func TestH20Scrub(t *testing.T) {
	h := map[string][]string{
		"X-Envoy-Max-Retries": {"1000000"}, "X-Envoy-Overloaded": {"true"}, "X-Envoy-Upstream-Rq-Timeout-Ms": {"0"},
		"X-Envoy-Attempt-Count": {"99"}, "L5d-Retry-Limit": {"99"}, "Plimsoll-Degraded": {"1"}, "Plimsoll-Retry-After-Ms": {"0"},
		// What CGI would make of these is one of ours, or who asked.
		"X-Forwarded-Port": {"1"}, "X_forwarded_for": {"10.0.0.1"}, "X-Forwarded_host": {"a"}, "X_request-Criticality": {"CRITICAL_PLUS"}, "Plimsoll_degrade": {"all"},
		"Plimsoll_signature": {"v1"}, "X_envoy_max_retries": {"9"}, "Grpc_timeout": {"1S"}, "Forwarded_": {"stays: nobody's"}, "Api_key": {"stays"},
		// These stay: they are read with bounds, or nothing of ours.
		SignatureHeader: {"v1"}, envoy: {"100"}, AttemptHeader: {"99"}, "X-Envoy-External-Address": {"192.0.2.1"}, "L5d-Dst-Canonical": {"a"}, "Accept": {"*/*"},
	}
	Scrub(h)
	if len(h) != 8 {
		t.Errorf("%q", h)
	}
	Scrub(nil)
}
