package wire

import (
	"context"
	"testing"
	"time"

	"github.com/plimsoll-go/plimsoll/class"
)

// browser is a request as net/http hands it over, with nothing of ours.
func browser() map[string][]string {
	return map[string][]string{
		"Accept":          {"*/*"},
		"Accept-Encoding": {"gzip, deflate, br"},
		"Accept-Language": {"en"},
		"Authorization":   {"Bearer 0123456789abcdef"},
		"Cookie":          {"session=0123456789abcdef"},
		"User-Agent":      {"Mozilla/5.0"},
	}
}

func bare() map[string][]string { return map[string][]string{} }

// with adds pairs of a header's name and value to h.
func with(h map[string][]string, pairs ...string) map[string][]string {
	for i := 0; i < len(pairs); i += 2 {
		h[pairs[i]] = append(h[pairs[i]], pairs[i+1])
	}
	return h
}

// requests are what reading must be quick for and must not allocate for.
var requests = []struct {
	name string
	h    map[string][]string
}{
	{"criticality_only", with(bare(), CriticalityHeader, "SHEDDABLE")},
	{"nothing", browser()},
	{"criticality", with(browser(), CriticalityHeader, "SHEDDABLE")},
	{"criticality_many", with(browser(), CriticalityHeader, "SHEDDABLE", "X-A", "1", "X-B", "2", "X-C", "3", "X-D", "4")},
	{"folded", with(browser(), CriticalityHeader, " sheddable_plus ")},
	{"both", with(browser(), CriticalityHeader, "CRITICAL_PLUS", TimeoutHeader, "1500")},
	{"grpc", with(bare(), "Content-Type", "application/grpc+proto", "Grpc-Timeout", "1500m", "Criticality", "critical", "Grpc-Previous-Rpc-Attempts", "1")},
	{"baggage", with(browser(), BaggageHeader, "user=7, criticality=sheddable;p=1 ,k=v", "Sec-Purpose", "prefetch")},
	{"encoded", with(browser(), BaggageHeader, "criticality=%73heddable", "Sec-Purpose", "prefetch")},
	{"hints", with(browser(), "Sec-Purpose", "prefetch;prerender", "Priority", "u=5, i")},
	{"unreadable", with(browser(), CriticalityHeader, "vip", TimeoutHeader, "1e3", BaggageHeader, "criticality=%zz")},
}

var sink Incoming

func BenchmarkRead(b *testing.B) {
	c := &Config{Trusted: true}
	for _, r := range requests {
		b.Run(r.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				sink = c.Read(r.h)
			}
		})
	}
}

func BenchmarkReadSigned(b *testing.B) {
	k := keyring(b, map[string][]byte{"edge-1": edgeKey})
	now := time.Now()
	h := with(browser(), SignatureHeader, sign(b, k, "edge-1", Claims{Criticality: class.CriticalPlus, Expires: now.Add(MaxSignatureLife)}, now))
	c := &Config{Keys: k}
	b.ReportAllocs()
	for b.Loop() {
		sink = c.Read(h)
	}
}

func BenchmarkWrite(b *testing.B) {
	c := &Config{}
	t := Tag{Criticality: class.Sheddable, Attempt: 1}
	h := browser()
	b.ReportAllocs()
	for b.Loop() {
		c.Write(h, t, time.Second)
	}
}

func BenchmarkFrom(b *testing.B) {
	ctx := With(context.Background(), Tag{Criticality: class.Sheddable})
	b.ReportAllocs()
	for b.Loop() {
		sink.Tag = From(ctx)
	}
}
