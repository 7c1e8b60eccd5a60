package queue

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/plimsoll-go/plimsoll/class"
)

// script is a source of choices: bytes of a fuzzer or of a generator. What is
// asked for beyond its end is zero.
type script []byte

func (s *script) below(n int) int {
	if len(*s) == 0 {
		return 0
	}
	b := (*s)[0]
	*s = (*s)[1:]
	return int(b) % n
}

func pick[T any](s *script, from ...T) T { return from[s.below(len(from))] }

func (s *script) config() Config {
	c := Config{
		Places:      pick(s, 3, 8, 1, 20, 0, 40, -1),
		Blocked:     pick(s, 0, 4, -1, math.MaxInt),
		Order:       pick(s, Adaptive, OldestFirst, NewestFirst, EarliestDeadline, SmallestCost),
		NewestAbove: pick(s, 0, 5, -1, 2),
		Standing:    pick(s, 0, 20*time.Millisecond, -1),
		Full:        pick(s, Refuse, DropOldest, DropNewest, Block, DropLargest),
	}
	if s.below(3) == 0 {
		c.MaxBytes = pick[int64](s, 100, 10, 1000, -1)
	}
	if s.below(3) == 0 {
		c.PromoteAfter = pick[time.Duration](s, 10, 25, 60, -1) * time.Millisecond
	}
	if s.below(3) == 0 {
		c.Shares = pick(s, Shares{10, 0, 90, 0}, Shares{0, 30, 0, 0}, Shares{25, 25, 25, 25}, Shares{0, 0, 1, 99})
	}
	if s.below(2) == 0 {
		c.CoDel = &CoDel{Target: pick[time.Duration](s, 0, 1, 20) * time.Millisecond, Interval: pick[time.Duration](s, 0, 30, 50) * time.Millisecond}
	}
	return c
}

// pair drives a queue and its oracle.
type pair struct {
	q       Queue
	o       oracle
	now     time.Duration
	last    *Item // that Pop returned, until the next push
	free    []*Item
	narrow  bool // one criticality, two levels: ties are the rule
	tenants int
	refused int
	dropped int
	again   int // pushes that wanted another one
}

// run plays the script to its end, or to the first difference.
func (p *pair) run(s script) (ops int, err error) {
	p.tenants = 1 + s.below(8) // up to the ways of one set, so that none shares
	p.narrow = s.below(2) == 0
	if s.below(3) == 0 { // virtual time is about to be rebased
		for i := range p.q.lanes {
			l := &p.q.lanes[i]
			l.v, l.ahead, l.served = rebaseAt-3, rebaseAt-3, rebaseAt-3
		}
	}
	p.configure(&s)
	for len(s) > 0 {
		p.now += pick[time.Duration](&s, 0, 1, 7, 40, -3) * time.Millisecond
		if err := p.step(&s); err != nil {
			return ops, fmt.Errorf("operation %d: %w", ops, err)
		}
		if err := p.look(); err != nil {
			return ops, fmt.Errorf("after operation %d: %w", ops, err)
		}
		ops++
	}
	return ops, nil
}

func (p *pair) configure(s *script) {
	c := s.config()
	p.q.Configure(p.now, c)
	p.o.configure(p.now, c)
}

func (p *pair) step(s *script) error {
	switch op := s.below(32); {
	case op < 16:
		return p.push(s)
	case op < 25:
		var got, want *Item
		if lane := s.below(8); lane < class.Count {
			got, want = p.q.PopLane(p.now, lane), p.o.popLane(p.now, lane)
		} else {
			got, want = p.q.Pop(p.now), p.o.pop(p.now)
		}
		if got != want {
			return fmt.Errorf("Pop is %s, want %s", show(got), show(want))
		}
		before := p.last
		p.last = got
		switch op {
		case 16:
			p.unserved(got)
		case 17:
			p.unserved(before)
		default:
			if err := p.drop(got); err != nil {
				return err
			}
		}
		return p.leave(got)
	case op < 28:
		if len(p.o.waiting) > 0 {
			it := p.o.waiting[s.below(len(p.o.waiting))]
			p.q.Remove(it)
			p.o.remove(it)
			return p.leave(it)
		}
	case op < 31:
		got, want := p.q.Expired(p.now), p.o.expired(p.now)
		if got != want {
			return fmt.Errorf("Expired is %s, want %s", show(got), show(want))
		}
		return p.leave(got)
	default:
		p.configure(s)
	}
	return nil
}

// drop asks CoDel about what Pop has returned.
func (p *pair) drop(it *Item) error {
	if it == nil {
		return nil
	}
	got, want := p.q.Drop(it), p.o.drop(it)
	if got != want {
		return fmt.Errorf("Drop of %s is %t, want %t", show(it), got, want)
	}
	if got {
		p.dropped++
		p.unserved(it)
	}
	return nil
}

func (p *pair) unserved(it *Item) {
	if it == nil {
		return
	}
	p.q.Unserved(it)
	p.q.Unserved(it) // does nothing
	p.o.unserved(it)
	if p.last == it {
		p.last = nil
	}
}

func (p *pair) push(s *script) error {
	p.last = nil
	it := new(Item)
	if n := len(p.free); n > 0 {
		it, p.free = p.free[n-1], p.free[:n-1]
	}
	if p.narrow {
		it.Rank = class.RankOf(class.Sheddable, pick[class.Level](s, 0, 70))
	} else {
		it.Rank = class.RankOf(pick(s, class.Critical, class.Sheddable, class.CriticalPlus, class.SheddablePlus), pick[class.Level](s, 0, 0, 1, 63, 64, 127))
	}
	if s.below(16) == 0 {
		it.Rank = class.Rank(it.Rank.Level()) // of no criticality
	}
	it.Tenant = uint64(s.below(p.tenants))
	it.Cost = pick[int64](s, 0, 1, 2, -5, 10, MaxCost, math.MaxInt64)
	it.Bytes = pick[int64](s, 1, 0, 5, 40, -7, 200, math.MaxInt64)
	it.Internal = s.below(4) == 0
	it.Arrived = p.now
	it.Deadline = p.now + pick[time.Duration](s, 5, 30, 5, 200)*time.Millisecond
	if s.below(4) == 0 {
		it.Deadline = Never
	}
	it.Leave = p.now + pick[time.Duration](s, 50, 0, 20, 50, 400)*time.Millisecond
	if s.below(3) == 0 {
		it.Leave = Never
	}
	for {
		got, err := p.pushOnce(it)
		if err != nil {
			return err
		}
		switch got.Verdict {
		case Again:
			p.again++
			if err := p.leave(got.Evicted); err != nil {
				return err
			}
			continue
		case Refused:
			p.refused++
			return p.leave(it)
		}
		if !it.Queued() {
			return fmt.Errorf("%s is queued and does not say so", show(it))
		}
		return p.leave(got.Evicted)
	}
}

func (p *pair) pushOnce(it *Item) (Push, error) {
	got, want := p.q.Push(p.now, it), p.o.push(p.now, it)
	if got != want {
		return got, fmt.Errorf("Push of %s is %d %s %t %t, want %d %s %t %t", show(it),
			got.Verdict, show(got.Evicted), got.Expired, got.Share, want.Verdict, show(want.Evicted), want.Expired, want.Share)
	}
	return got, nil
}

// leave checks that nothing of the queue stays in what has left it.
func (p *pair) leave(it *Item) error {
	if it == nil {
		return nil
	}
	if it.Queued() || it.links != [chains]link{} || it.at != [heaps]int32{} || it.tagged {
		return fmt.Errorf("%s has left and is still linked", show(it))
	}
	p.free = append(p.free, it)
	return nil
}

// look compares all that can be asked.
func (p *pair) look() error {
	q, o := &p.q, &p.o
	if err := q.check(); err != nil {
		return err
	}
	tenanted := o.first(func(x *Item) bool { return x.Tenant != 0 }) != nil
	standing := max(o.clock, p.now) - o.since
	if len(o.waiting) == 0 {
		standing = 0
	}
	for _, c := range []struct {
		what      string
		got, want any
	}{
		{"Bytes", q.Bytes(), o.bytes()},
		{"Depth", q.Depth(), len(o.waiting)},
		{"Worst", q.Worst(), o.worst()},
		{"NextLeave", q.NextLeave(), o.nextLeave()},
		{"NewestFirst", q.NewestFirst(p.now), o.anyNewestFirst(p.now)},
		{"Standing", q.Standing(p.now), standing},
		{"Tenanted", q.Tenanted(), tenanted},
		{"Room(false)", q.Room(false), o.room(false)},
		{"Room(true)", q.Room(true), o.room(true)},
	} {
		if c.got != c.want {
			return fmt.Errorf("%s is %v, want %v", c.what, c.got, c.want)
		}
	}
	above := 0
	for lane := class.Count - 1; lane >= 0; lane-- {
		c, n := class.FromLane(lane), o.depth(lane)
		var oldest *Item
		own := 0
		for _, x := range o.waiting {
			if classOf(x) == lane {
				own++
				if oldest == nil || o.of[x].born < o.of[oldest].born {
					oldest = x
				}
			}
		}
		arrived, ok := q.Oldest(lane)
		if q.Higher(c) != above || q.LaneDepth(lane) != own || q.Waiting(lane) != n || q.Ahead(c) != above+n {
			return fmt.Errorf("%s: Higher %d, LaneDepth %d, Ahead %d, want %d, %d, %d", c, q.Higher(c), q.LaneDepth(lane), q.Ahead(c), above, own, above+n)
		}
		if ok != (oldest != nil) || ok && arrived != oldest.Arrived {
			return fmt.Errorf("%s: Oldest is %s, %t, want %s", c, arrived, ok, show(oldest))
		}
		beside := &Item{Tenant: uint64(len(o.waiting) % p.tenants), Rank: class.RankOf(c, 0)}
		if got, want := q.NewestFirstBeside(p.now, beside), o.newestFirst(p.now, lane, beside.Tenant); got != want {
			return fmt.Errorf("%s: NewestFirstBeside those of tenant %d is %t, want %t", c, beside.Tenant, got, want)
		}
		above += n
	}
	return nil
}

func show(it *Item) string {
	if it == nil {
		return "nobody"
	}
	return fmt.Sprintf("{%s tenant %d cost %d deadline %s leave %s}", it.Rank, it.Tenant, it.Cost, it.Deadline, it.Leave)
}

// TestQueueAgainstOracle plays random operations under random configurations,
// and compares every answer with the oracle's.
func TestQueueAgainstOracle(t *testing.T) {
	want := 400_000
	if testing.Short() {
		want = 40_000
	}
	var ops, refused, dropped, again int
	for seed := uint64(1); ops < want; seed++ {
		r := rand.New(rand.NewPCG(seed, 51))
		s := make(script, 200+r.IntN(8000))
		for i := range s {
			s[i] = byte(r.Uint32())
		}
		var p pair
		n, err := p.run(s)
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		ops, refused, dropped = ops+n, refused+p.refused, dropped+p.dropped
		again += p.again
	}
	if again < ops/1000 {
		t.Errorf("%d of %d operations wanted the places of several", again, ops)
	}
	if dropped < ops/500 {
		t.Errorf("CoDel gave up %d in %d operations: the sequences hardly let a queue stand", dropped, ops)
	}
	if refused < ops/50 {
		t.Errorf("%d of %d operations were refusals: the sequences hardly fill the queue", refused, ops)
	}
}

// FuzzQueue plays what the fuzzer writes.
func FuzzQueue(f *testing.F) {
	f.Add([]byte("\x03\x01\x01\x00\x01\x00\x01\x01" + "some pushes and pops to begin with, and then some more of them"))
	f.Fuzz(func(t *testing.T, b []byte) {
		var p pair
		if _, err := p.run(b[:min(len(b), 4096)]); err != nil {
			t.Fatal(err)
		}
	})
}
