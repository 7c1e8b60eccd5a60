package queue

import (
	"fmt"
	"math/bits"
	"testing"
	"time"

	"github.com/plimsoll-go/plimsoll/class"
)

// load is a queue of the given depth whose waiters belong to so many tenants,
// and that many further items to work with.
type load struct {
	q     *Queue
	spare []*Item // not queued, at first
}

func newLoad(depth, tenants int, leave bool, c Config) *load {
	w := &load{q: New()}
	c.Places = depth
	w.q.Configure(0, c)
	for i := range 2 * depth {
		it := &Item{Rank: class.RankOf(class.Critical, 0), Leave: Never, Deadline: Never}
		if tenants > 0 {
			it.Tenant = uint64(1 + i%tenants)
		}
		if leave { // in an order that has nothing to do with arrival's
			it.Leave = time.Duration(bits.Reverse32(uint32(i)))
			it.Deadline = it.Leave
		}
		if i < depth {
			w.q.Push(0, it)
		} else {
			w.spare = append(w.spare, it)
		}
	}
	return w
}

var loads = []struct {
	tenants int
	leave   bool
}{{0, false}, {0, true}, {1, true}, {8, true}, {1000, true}}

func loadName(tenants int, leave bool) string {
	return fmt.Sprintf("tenants=%d/leave=%t", tenants, leave)
}

const benchDepth = 1000

func BenchmarkPushRefused(b *testing.B) {
	for _, l := range loads {
		b.Run(loadName(l.tenants, l.leave), func(b *testing.B) {
			w := newLoad(benchDepth, l.tenants, l.leave, Config{})
			it := w.spare[0]
			for w.q.Push(0, it).Evicted != nil { // its slot is shared by few
				it = w.spare[w.q.seq%uint64(len(w.spare))]
			}
			b.ReportAllocs()
			for b.Loop() {
				if w.q.Push(0, it).Verdict != Refused {
					b.Fatal("not refused")
				}
			}
		})
	}
}

func BenchmarkPushPop(b *testing.B) {
	const now = time.Second // the queue stands
	for _, order := range []Order{OldestFirst, NewestFirst, EarliestDeadline, Adaptive} {
		for _, l := range loads {
			b.Run(order.String()+"/"+loadName(l.tenants, l.leave), func(b *testing.B) {
				w := newLoad(benchDepth, l.tenants, l.leave, Config{Order: order})
				b.ReportAllocs()
				for b.Loop() {
					it := w.q.Pop(now)
					w.q.Push(now, it)
				}
			})
		}
	}
}

func BenchmarkPushRemove(b *testing.B) {
	for _, l := range loads {
		b.Run(loadName(l.tenants, l.leave), func(b *testing.B) {
			w := newLoad(benchDepth, l.tenants, l.leave, Config{})
			w.q.Remove(w.q.leastRecent())
			b.ReportAllocs()
			i := 0
			for b.Loop() {
				it := w.spare[i]
				i = (i + 1) % len(w.spare)
				w.q.Push(0, it)
				w.q.Remove(it)
			}
		})
	}
}

// leastRecent is the oldest critical waiter.
func (q *Queue) leastRecent() *Item { return q.lanes[class.Critical.Lane()].level[0].head }

func BenchmarkEvict(b *testing.B) {
	for _, full := range []Full{Refuse, DropOldest} {
		for _, l := range loads {
			b.Run(full.String()+"/"+loadName(l.tenants, l.leave), func(b *testing.B) {
				w := newLoad(benchDepth, l.tenants, l.leave, Config{Full: full})
				b.ReportAllocs()
				it, level := w.spare[0], class.Level(0)
				for n := 0; b.Loop(); n++ {
					if full == Refuse && n%benchDepth == 0 { // everybody has been evicted
						level = (level + 1) % 128
						if level == 0 {
							b.StopTimer()
							w = newLoad(benchDepth, l.tenants, l.leave, Config{Full: full})
							it, level = w.spare[0], 1
							b.StartTimer()
						}
					}
					it.Rank = class.RankOf(class.Critical, level)
					if it = w.q.Push(0, it).Evicted; it == nil {
						b.Fatal("nobody is evicted")
					}
				}
			})
		}
	}
}

// BenchmarkChannel is the trivial bound to compare with: a buffered channel.
func BenchmarkChannel(b *testing.B) {
	c := make(chan *Item, benchDepth)
	for range benchDepth {
		c <- new(Item)
	}
	b.ReportAllocs()
	for b.Loop() {
		c <- <-c
	}
}
