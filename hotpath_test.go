package plimsoll

import (
	"context"
	"testing"
	"time"

	"github.com/plimsoll-go/plimsoll/class"
	"github.com/plimsoll-go/plimsoll/limit"
)

func BenchmarkAcquireRelease(b *testing.B) {
	g, err := New(Config{})
	if err != nil {
		b.Fatal(err)
	}
	ctx := context.Background()
	b.ReportAllocs()
	for b.Loop() {
		t, err := g.Acquire(ctx, Work{})
		if err != nil {
			b.Fatal(err)
		}
		t.Release(Success)
	}
}

func BenchmarkAcquireReleaseParallel64(b *testing.B) {
	g, err := New(Config{Limit: limit.NewFixed(1000)})
	if err != nil {
		b.Fatal(err)
	}
	ctx := context.Background()
	b.ReportAllocs()
	b.SetParallelism(32)
	b.RunParallel(func(pb *testing.PB) {
		for pb.Next() {
			t, err := g.Acquire(ctx, Work{})
			if err != nil {
				b.Fatal(err)
			}
			t.Release(Success)
		}
	})
}

// refusing returns a gate whose queue is full, so that SHEDDABLE work is
// refused by the admission level.
func refusing(tb testing.TB, c Config) *Gate {
	c.Limit = limit.NewFixed(1)
	g, err := New(c)
	if err != nil {
		tb.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	t, err := g.Acquire(ctx, Work{})
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { cancel(); t.Release(Success); g.Close(context.Background()) })
	if c.MaxQueue > 0 {
		go g.Acquire(ctx, Work{})
		for g.Snapshot().Depth == 0 {
		}
	}
	return g
}

func BenchmarkRefuseByLevel(b *testing.B) {
	g := refusing(b, Config{MaxQueue: 1, MaxWait: 1 << 40})
	ctx := context.Background()
	b.ReportAllocs()
	for b.Loop() {
		if _, err := g.Acquire(ctx, Work{Criticality: class.Sheddable}); err == nil {
			b.Fatal("admitted")
		}
	}
}

func BenchmarkRefuseByLevelParallel(b *testing.B) {
	g := refusing(b, Config{MaxQueue: 1, MaxWait: 1 << 40})
	ctx := context.Background()
	b.ReportAllocs()
	b.RunParallel(func(pb *testing.PB) {
		for pb.Next() {
			if _, err := g.Acquire(ctx, Work{Criticality: class.Sheddable}); err == nil {
				b.Fatal("admitted")
			}
		}
	})
}

func BenchmarkRefuseWithoutQueue(b *testing.B) {
	g := refusing(b, Config{MaxWait: -1})
	ctx := context.Background()
	b.ReportAllocs()
	for b.Loop() {
		if _, err := g.Acquire(ctx, Work{}); err == nil {
			b.Fatal("admitted")
		}
	}
}

func BenchmarkRefuseWithoutWaiting(b *testing.B) {
	g := refusing(b, Config{})
	ctx := context.Background()
	b.ReportAllocs()
	for b.Loop() {
		if _, err := g.TryAcquire(ctx, Work{}); err == nil {
			b.Fatal("admitted")
		}
	}
}

// BenchmarkRefuseByMachine is of work that would finish too late, which only
// the machine can tell.
func BenchmarkRefuseByMachine(b *testing.B) {
	g := refusing(b, Config{ServiceTime: time.Hour})
	ctx := context.Background()
	w := Work{Deadline: time.Now().Add(time.Minute)}
	b.ReportAllocs()
	for b.Loop() {
		if _, err := g.Acquire(ctx, w); err == nil {
			b.Fatal("admitted")
		}
	}
}

// TestHotPathsAllocateNothing: admission, refusal by the level and refusal by
// the machine, lateness included.
func TestHotPathsAllocateNothing(t *testing.T) {
	ctx := context.Background()
	level := refusing(t, Config{MaxQueue: 1, MaxWait: 1 << 40})
	none := refusing(t, Config{MaxWait: -1})
	busy := refusing(t, Config{ServiceTime: 1 << 30})
	free, err := New(Config{})
	if err != nil {
		t.Fatal(err)
	}
	soon := time.Now().Add(time.Second / 2)
	for name, f := range map[string]func(){
		"admit": func() {
			if ticket, err := free.Acquire(ctx, Work{}); err == nil {
				ticket.Release(Success)
			}
		},
		"by level":      func() { level.Acquire(ctx, Work{Criticality: class.Sheddable}) },
		"without queue": func() { none.Acquire(ctx, Work{}) },
		"by machine":    func() { busy.TryAcquire(ctx, Work{}) },
		"hopeless":      func() { busy.Acquire(ctx, Work{Deadline: soon}) },
	} {
		if n := testing.AllocsPerRun(200, f); n != 0 {
			t.Errorf("%s: %v allocations", name, n)
		}
	}
}
