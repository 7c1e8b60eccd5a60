package capture

import (
	"log/slog"
	"path/filepath"
	"testing"
	"time"

	"github.com/plimsoll-go/plimsoll/class"
	"github.com/plimsoll-go/plimsoll/httpgate"
)

// BenchmarkRecord is what recording adds to a request, with its file on a disk:
// what is written by the capture's own goroutine is in it, as it has to share the
// processors.
func BenchmarkRecord(b *testing.B) {
	for _, c := range []struct{ name, tenant string }{{"plain", ""}, {"tenant", "tenant-4711"}} {
		b.Run(c.name, func(b *testing.B) {
			var counts Counts
			r := New(Config{
				File: filepath.Join(b.TempDir(), "trace.csv"), MaxBytes: 64 << 20, Keep: 1, Key: []byte("key"),
				Counts: &counts, Log: slog.New(slog.DiscardHandler),
			})
			r.Start(nil)
			w := r.Of("shop")
			arrived := httpgate.Arrived{Criticality: class.Critical, Tenant: c.tenant, Asked: time.Second}
			b.ReportAllocs()
			b.ResetTimer()
			b.RunParallel(func(pb *testing.PB) {
				for pb.Next() {
					w.Left(w.Arrived(arrived), time.Millisecond)
				}
			})
			r.End()
			if err := r.Ended(b.Context()); err != nil {
				b.Fatal(err)
			}
			b.StopTimer()
			b.ReportMetric(float64(counts.Dropped.Load())/float64(b.N), "dropped/op")
		})
	}
}
