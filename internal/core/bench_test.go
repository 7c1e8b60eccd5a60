package core

import (
	"testing"
	"time"

	"github.com/plimsoll-go/plimsoll/class"
	"github.com/plimsoll-go/plimsoll/limit"
)

// BenchmarkRefuse is the machine's part of refusing work that would finish too
// late.
func BenchmarkRefuse(b *testing.B) {
	m := New(Config{Limit: limit.NewFixed(1), MaxWait: time.Second, MaxQueue: 10, Utilisation: 1, ServiceTime: time.Second})
	var held, w Waiter
	held.Item.Rank, held.Item.Deadline = class.RankOf(class.Critical, 0), Never
	m.Arrive(0, &held)
	w.Item.Rank, w.Item.Deadline = class.RankOf(class.Critical, 0), 2*time.Second-1
	b.ReportAllocs()
	for b.Loop() {
		if d, _ := m.Arrive(0, &w); d.Reason != Hopeless {
			b.Fatal(d)
		}
	}
}
