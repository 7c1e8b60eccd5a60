package queue

import (
	"math/rand/v2"
	"testing"
	"time"

	"github.com/plimsoll-go/plimsoll/class"
)

func TestTenantsTakeTurns(t *testing.T) {
	runTimelines(t, []timeline{
		{"in turn, whoever came first", Config{Places: 9}, `
			0 push a1 tenant=1
			0 push a2 tenant=1
			0 push a3 tenant=1
			0 push b1 tenant=2
			0 push b2 tenant=2
			0 push c1
			0 push c2
			1 drain : a1 b1 c1 a2 b2 c2 a3`},
		{"by cost", Config{Places: 9}, `
			0 push a1 tenant=1 cost=3
			0 push a2 tenant=1 cost=3
			0 push b1 tenant=2
			0 push b2 tenant=2
			0 push b3 tenant=2
			0 push b4 tenant=2
			1 drain : a1 b1 b2 b3 a2 b4`},
		{"who did not wait has saved no credit", Config{Places: 9}, `
			0 push a1 tenant=1
			0 push a2 tenant=1
			0 push a3 tenant=1
			0 push a4 tenant=1
			0 push a5 tenant=1
			0 push a6 tenant=1
			0 pop : a1
			0 pop : a2
			0 pop : a3
			1 push b1 tenant=2
			1 push b2 tenant=2
			1 push b3 tenant=2
			1 drain : b1 a4 b2 a5 b3 a6`},
		{"who was served alone does not pay for it", Config{Places: 9}, `
			0 push a1 tenant=1 cost=1000
			0 pop : a1
			1 push b1 tenant=2
			1 push b2 tenant=2
			1 push a2 tenant=1
			1 push a3 tenant=1
			1 drain : b1 a2 b2 a3`},
		{"each lane has a time of its own", Config{Places: 9}, `
			0 push a1 crit=sheddable tenant=1
			0 push a2 crit=sheddable tenant=1
			0 push b1 crit=sheddable tenant=2
			0 push a3 tenant=1
			0 push a4 tenant=1
			0 drain : a3 a4 a1 b1 a2`},
	})
}

// TestUnserved drops what Pop returned: its tenant does not pay for it.
func TestUnserved(t *testing.T) {
	for _, unserved := range []bool{false, true} {
		q := New()
		q.Configure(0, Config{Places: 9})
		for _, n := range []string{"a1", "a2", "a3", "b1", "b2"} {
			it := parseItem(t, 0, []string{n, "tenant=" + map[byte]string{'a': "1", 'b': "2"}[n[0]]})
			q.Push(0, it)
		}
		first := q.Pop(1)
		if unserved {
			q.Unserved(first)
		}
		got := ""
		for it := q.Pop(1); it != nil; it = q.Pop(1) {
			got += name(it) + " "
		}
		// Where both stand level, the oldest waiter decides.
		if want := map[bool]string{false: "b1 a2 b2 a3 ", true: "a2 b1 a3 b2 "}[unserved]; got != want {
			t.Errorf("unserved %t: %s, want %s", unserved, got, want)
		}
	}
}

// TestFewTenantsNeverShare: any eight have a flow each, whatever their hashes
// and whoever waited before; thousands at once share 128.
func TestFewTenantsNeverShare(t *testing.T) {
	r := rand.New(rand.NewPCG(8, 0))
	q := New()
	q.Configure(0, Config{Places: 5000})
	l := &q.lanes[0]
	for range 200 {
		for range ways {
			tenant := r.Uint64()>>r.IntN(60) | 1
			if f := l.find(tenant); f != nil && f.n > 0 {
				t.Fatalf("tenant %x would share with another", tenant)
			}
			for range 3 {
				q.Push(0, &Item{Rank: class.RankOf(class.Sheddable, 0), Tenant: tenant})
			}
		}
		for _, f := range l.flows {
			for it := f.all.head; it != nil; it = it.links[byFlow].next {
				if it.Tenant != f.all.head.Tenant {
					t.Fatalf("tenants %x and %x share a flow", it.Tenant, f.all.head.Tenant)
				}
			}
		}
		for q.Depth() > 0 {
			q.Pop(0)
		}
	}
	for range 5000 {
		q.Push(0, &Item{Rank: class.RankOf(class.Sheddable, 0), Tenant: r.Uint64()})
	}
	if n := len(l.flows); n != sets*ways {
		t.Errorf("5000 tenants share %d flows, want %d", n, sets*ways)
	}
	if f := l.find(r.Uint64()); f == nil || f.n == 0 {
		t.Error("one more is taken for one who has nobody waiting")
	}
	if err := q.check(); err != nil {
		t.Error(err)
	}
}

// TestSlotStartsAfresh: who takes a slot over does not take the debt over.
func TestSlotStartsAfresh(t *testing.T) {
	q := New()
	q.Configure(0, Config{Places: 50})
	push := func(tenant uint64, cost int64) {
		q.Push(0, &Item{Tenant: tenant, Cost: cost})
	}
	var set []uint64 // tenants that compete for the same slots
	for tenant := uint64(1); len(set) < ways+1; tenant++ {
		if mix(tenant)%sets == 0 {
			set = append(set, tenant)
		}
	}
	for i, tenant := range set[:ways] {
		push(tenant, 1000-int64(i))
	}
	for range 4 {
		push(0, 1)
	}
	for range ways {
		q.Pop(0)
	}
	push(set[ways], 1)
	q.Pop(0) // stands level with the new one, and came first
	if it := q.Pop(0); it.Tenant != set[ways] {
		t.Error("a tenant pays for the one whose slot it took")
	}
	// The slot taken is that of the least debt, the last one's.
	push(set[0], 1)
	push(set[ways-1], 1)
	for q.Depth() > 2 {
		if it := q.Pop(0); it.Tenant != 0 && it.Tenant != set[ways-1] {
			t.Errorf("tenant %d does not pay what it owes", it.Tenant)
		}
	}
}

// station is slots behind a queue in virtual time, in steps of a millisecond.
type station struct {
	t       *testing.T
	q       *Queue
	slots   int
	service time.Duration
	busy    []job
	started map[uint64]int           // by tenant
	waited  map[uint64]time.Duration // the longest, of those started
	lost    map[uint64]int           // refused and evicted
	done    func(now time.Duration, it *Item)
}

type job struct {
	it  *Item
	end time.Duration
}

func newStation(t *testing.T, slots int, service time.Duration, c Config) *station {
	s := &station{
		t: t, q: New(), slots: slots, service: service, started: map[uint64]int{},
		waited: map[uint64]time.Duration{}, lost: map[uint64]int{}, done: func(time.Duration, *Item) {},
	}
	s.q.Configure(0, c)
	return s
}

func (s *station) arrive(now time.Duration, c class.Criticality, tenant uint64) {
	it := &Item{Rank: class.RankOf(c, 0), Tenant: tenant, Arrived: now, Deadline: Never, Leave: Never}
	p := s.q.Push(now, it)
	if p.Verdict == Refused {
		s.lost[tenant]++
	}
	if p.Evicted != nil {
		s.lost[p.Evicted.Tenant]++
	}
}

// serve gives back the slots of what has ended, and fills those that are free.
func (s *station) serve(now time.Duration) {
	var ended []job
	running := s.busy[:0]
	for _, j := range s.busy {
		if j.end <= now {
			ended = append(ended, j)
		} else {
			running = append(running, j)
		}
	}
	s.busy = running
	for _, j := range ended {
		s.done(now, j.it)
	}
	for len(s.busy) < s.slots {
		it := s.q.Pop(now)
		if it == nil {
			return
		}
		s.started[it.Tenant]++
		s.waited[it.Tenant] = max(s.waited[it.Tenant], now-it.Arrived)
		s.busy = append(s.busy, job{it, now + s.service})
	}
}

// TestB48NoWindUp: of three slots, A keeps two busy and B one for 20 s; then B
// wants two as well, and both get half.
func TestB48NoWindUp(t *testing.T) {
	s := newStation(t, 3, time.Second, Config{Places: 100})
	again := func(now time.Duration, it *Item) { s.arrive(now, class.Critical, it.Tenant) }
	s.done = again
	for _, tenant := range []uint64{1, 1, 2} {
		s.arrive(0, class.Critical, tenant)
	}
	var at20 [3]int
	for now := time.Duration(0); now < 40*time.Second; now += time.Millisecond {
		if now == 20*time.Second {
			at20[1], at20[2] = s.started[1], s.started[2]
			s.arrive(now, class.Critical, 2)
		}
		s.serve(now)
	}
	if at20[1] != 40 || at20[2] != 20 {
		t.Errorf("in the first 20 s A had %d and B %d, want 40 and 20", at20[1], at20[2])
	}
	a, b := s.started[1]-at20[1], s.started[2]-at20[2]
	if a+b != 60 || a < 27 || a > 33 {
		t.Errorf("from 20 s to 40 s A had %d and B %d, want 30 each of 60", a, b)
	}
}

// TestB48IdleShareIsUsed: a batch alone has all of the capacity, and none of
// it once live traffic that fills it is back.
func TestB48IdleShareIsUsed(t *testing.T) {
	s := newStation(t, 3, time.Second, Config{Places: 100})
	var batch, before int
	for now := time.Duration(0); now < 20*time.Second; now += time.Millisecond {
		if now%(100*time.Millisecond) == 0 {
			s.arrive(now, class.Sheddable, 1)
			if now >= 10*time.Second {
				s.arrive(now, class.Critical, 2)
			}
		}
		s.serve(now)
		if now == 10*time.Second-time.Millisecond {
			batch = s.started[1]
		}
		if now == 11*time.Second {
			before = s.started[1]
		}
	}
	if batch != 30 {
		t.Errorf("alone for 10 s, the batch had %d of 30", batch)
	}
	if after := s.started[1] - before; after > 0 || s.started[2] < 27 {
		t.Errorf("one service time after live work is back, the batch had %d, and live work had %d of 30", after, s.started[2])
	}
}

// TestOneTenantAtFiftyTimesItsShare: whatever the order and the policy, a
// flood of one tenant costs the others nothing and delays them by a turn.
func TestOneTenantAtFiftyTimesItsShare(t *testing.T) {
	for order := Adaptive; order.Valid(); order++ {
		for full := Refuse; full.Valid(); full++ {
			s := newStation(t, 10, 10*time.Millisecond, Config{Places: 100, Order: order, Full: full})
			light := 0
			for now := time.Duration(0); now < 3*time.Second; now += time.Millisecond {
				for range 10 { // of a capacity of one a millisecond
					s.arrive(now, class.Critical, 1)
				}
				if now%(5*time.Millisecond) == 0 {
					for tenant := uint64(2); tenant <= 4; tenant++ {
						s.arrive(now, class.Critical, tenant)
						light++
					}
				}
				s.serve(now)
			}
			had := s.started[2] + s.started[3] + s.started[4]
			for tenant := uint64(2); tenant <= 4; tenant++ {
				if s.lost[tenant] > 0 || s.waited[tenant] > 20*time.Millisecond {
					t.Errorf("%s, %s: tenant %d lost %d and waited for up to %s", order, full, tenant, s.lost[tenant], s.waited[tenant])
				}
			}
			if had < light-6 || s.started[1] < 3000-light {
				t.Errorf("%s, %s: the light had %d of %d, the heavy one %d of 3000 less that", order, full, had, light, s.started[1])
			}
		}
	}
}
