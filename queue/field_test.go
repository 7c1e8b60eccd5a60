package queue

import (
	"math/rand/v2"
	"runtime"
	"testing"
	"time"

	"github.com/plimsoll-go/plimsoll/class"
)

// TestB51EqualWaitersKeepArrivalOrder: 1,000 waiters of one criticality and
// tenant, with others leaving in between, come out in the order they came in;
// in reverse only where the order says so.
func TestB51EqualWaitersKeepArrivalOrder(t *testing.T) {
	const n = 1000
	for _, order := range []Order{OldestFirst, NewestFirst, EarliestDeadline, Adaptive} {
		q := New()
		q.Configure(0, Config{Places: 2 * n, Order: order, Standing: -1})
		r := rand.New(rand.NewPCG(51, uint64(order)))
		var others []*Item
		for i := range n {
			q.Push(0, &Item{Owner: i, Deadline: 5, Leave: 9, Tenant: 3, Rank: class.RankOf(class.Critical, class.Level(r.IntN(128)))})
			other := &Item{Deadline: time.Duration(r.IntN(10)), Leave: 9, Tenant: 3, Rank: class.RankOf(class.Critical, 1)}
			q.Push(0, other)
			others = append(others, other)
		}
		r.Shuffle(n, func(i, j int) { others[i], others[j] = others[j], others[i] })
		for _, it := range others {
			q.Remove(it)
		}
		for i := range n {
			want := i
			if order == NewestFirst {
				want = n - 1 - i
			}
			if newest := q.NewestFirst(0); newest != (order == NewestFirst) {
				t.Fatalf("%s: newest first is %t", order, newest)
			}
			if got := q.Pop(0).Owner; got != want {
				t.Fatalf("%s: %d is %v, want %d", order, i, got, want)
			}
		}
	}
}

// TestB49BurstBetweenTwoLooks: 5,000 sheddable and 100 critical arrive at
// once, with nobody to adjust a threshold in between.
func TestB49BurstBetweenTwoLooks(t *testing.T) {
	const places = 100
	q := New()
	q.Configure(0, Config{Places: places})
	burst := make([]class.Criticality, 5100)
	for i := range burst {
		burst[i] = class.Sheddable
		if i < places {
			burst[i] = class.Critical
		}
	}
	rand.New(rand.NewPCG(49, 0)).Shuffle(len(burst), func(i, j int) { burst[i], burst[j] = burst[j], burst[i] })
	for _, c := range burst {
		p := q.Push(time.Millisecond, &Item{Rank: class.RankOf(c, 0), Leave: Never, Deadline: Never})
		if c == class.Critical && p.Verdict != Queued {
			t.Fatal("critical work is refused")
		}
		if p.Evicted != nil && p.Evicted.Rank.Criticality() == class.Critical {
			t.Fatal("critical work is evicted")
		}
		if q.Depth() > places {
			t.Fatalf("%d wait for %d places", q.Depth(), places)
		}
	}
	if got := q.LaneDepth(class.Critical.Lane()); got != places {
		t.Errorf("%d critical wait, want all %d", got, places)
	}
}

// TestB59TenantKeysAreBounded: ten million distinct tenants, four times what
// can be served, leave no trace. More of them wait than there are flows, so
// that each flow is shared; an honest tenant among them, who asks for as much
// as one flow has served, is one in a crowd there, and not squeezed out.
func TestB59TenantKeysAreBounded(t *testing.T) {
	n := uint64(10_000_000)
	if raceEnabled || testing.Short() {
		n /= 20
	}
	const places, honest = 400, 1 << 40
	q := New()
	q.Configure(0, Config{Places: places})
	pool := make([]*Item, 0, places+1)
	for range places + 1 {
		pool = append(pool, new(Item))
	}
	take := func(tenant uint64, now time.Duration) {
		it := pool[len(pool)-1]
		pool = pool[:len(pool)-1]
		*it = Item{Tenant: tenant, Rank: class.RankOf(class.Critical, 0), Arrived: now, Leave: now + time.Second, Deadline: Never}
		p := q.Push(now, it)
		if p.Verdict == Refused {
			pool = append(pool, it)
		} else if p.Evicted != nil {
			pool = append(pool, p.Evicted)
		}
	}
	var asked, served int
	r := rand.New(rand.NewPCG(59, 0))
	sweep := func(from, to uint64) {
		for i := from; i < to; i++ {
			now := time.Duration(i) * 20 * time.Microsecond // 50,000 a second
			dice := r.Uint32()
			if dice%512 == 0 {
				asked++
				take(honest, now)
			} else {
				take(i*0x9e3779b97f4a7c15|1, now)
			}
			if dice>>30 == 0 && q.Depth() > 0 {
				it := q.Pop(now)
				if it.Tenant == honest {
					served++
				}
				pool = append(pool, it)
			}
		}
	}
	sweep(0, n/100) // as long as it gets
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	sweep(n/100, n)
	runtime.GC()
	runtime.ReadMemStats(&after)
	if grown := int64(after.HeapAlloc) - int64(before.HeapAlloc); grown > 256<<10 {
		t.Errorf("the heap has grown by %d bytes over %d tenants", grown, n)
	}
	if mallocs := after.Mallocs - before.Mallocs; mallocs > 1000 {
		t.Errorf("%d allocations over %d tenants", mallocs, n)
	}
	l := &q.lanes[class.Critical.Lane()]
	if len(l.flows) > sets*ways+1 {
		t.Errorf("%d flows, bounded by %d", len(l.flows), sets*ways+1)
	}
	if err := q.check(); err != nil {
		t.Error(err)
	}
	if served < asked/8 {
		t.Errorf("the honest tenant had %d of %d served, want half of everybody's quarter", served, asked)
	}
}
