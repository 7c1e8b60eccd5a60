package queue

import (
	"encoding/json"
	"strings"
	"testing"
	"time"
)

func TestMisusePanics(t *testing.T) {
	for name, f := range map[string]func(q, other *Queue, queued, free *Item){
		"push twice":           func(q, _ *Queue, queued, _ *Item) { q.Push(0, queued) },
		"push elsewhere, too":  func(_, other *Queue, queued, _ *Item) { other.Push(0, queued) },
		"remove what is not":   func(q, _ *Queue, _, free *Item) { q.Remove(free) },
		"remove from another":  func(_, other *Queue, queued, _ *Item) { other.Remove(queued) },
		"remove what was once": func(q, _ *Queue, queued, _ *Item) { q.Pop(0); q.Remove(queued) },
		"unserved in a queue":  func(q, _ *Queue, queued, _ *Item) { q.Unserved(queued) },
		"an order of no kind":  func(q, _ *Queue, _, _ *Item) { q.Configure(0, Config{Order: 9}) },
		"a policy of no kind":  func(q, _ *Queue, _, _ *Item) { q.Configure(0, Config{Full: 9}) },
	} {
		t.Run(name, func(t *testing.T) {
			q, queued := New(), new(Item)
			q.Configure(0, Config{Places: 3})
			q.Push(0, queued)
			defer func() {
				if s, _ := recover().(string); !strings.HasPrefix(s, "queue: ") {
					t.Errorf("panics with %q, want the package's name in front", s)
				}
			}()
			f(q, New(), queued, new(Item))
		})
	}
}

// TestUnservedOfWhatWasNotPopped does nothing, even if it was popped once.
func TestUnservedOfWhatWasNotPopped(t *testing.T) {
	q := New()
	q.Configure(0, Config{Places: 3})
	it, other := &Item{Cost: 10}, new(Item)
	q.Unserved(it)
	q.Push(0, it)
	q.Push(0, other)
	if q.Pop(0) != it {
		t.Fatal("the first is not served first")
	}
	q.Push(0, it)
	q.Remove(it)
	q.Unserved(it)
	if f := other.flow; f.stand != 10 {
		t.Errorf("the flow stands at %d, want the 10 that it was served", f.stand)
	}
}

func TestNames(t *testing.T) {
	type names struct {
		Order Order
		Full  Full
	}
	for o := Adaptive; o.Valid(); o++ {
		for f := Refuse; f.Valid(); f++ {
			text, err := json.Marshal(names{o, f})
			if err != nil {
				t.Fatal(err)
			}
			var back names
			if err := json.Unmarshal(text, &back); err != nil || back != (names{o, f}) {
				t.Errorf("%s becomes %v, %v", text, back, err)
			}
			if want := `{"Order":"` + o.String() + `","Full":"` + f.String() + `"}`; string(text) != want {
				t.Errorf("%s, want %s", text, want)
			}
		}
	}
	o, f := EarliestDeadline, Block
	for _, text := range []string{"", "Refuse", "adaptive ", "lifo"} {
		if err := o.UnmarshalText([]byte(text)); err == nil || !strings.Contains(err.Error(), "oldest_first") {
			t.Errorf("order %q: %v, want an error that lists the orders", text, err)
		}
		if err := f.UnmarshalText([]byte(text)); err == nil || !strings.Contains(err.Error(), "drop_newest") {
			t.Errorf("policy %q: %v, want an error that lists the policies", text, err)
		}
	}
	if o != EarliestDeadline || f != Block {
		t.Errorf("errors changed the values to %s, %s", o, f)
	}
	if _, err := Order(9).MarshalText(); err == nil || Order(9).String() != "invalid(9)" {
		t.Errorf("order 9 is %s and can be written", Order(9))
	}
	if _, err := Full(9).MarshalText(); err == nil || Full(9).String() != "invalid(9)" {
		t.Errorf("policy 9 is %s and can be written", Full(9))
	}
}

func TestNoAllocationsInSteadyState(t *testing.T) {
	for _, l := range loads {
		for order := Adaptive; order.Valid(); order++ {
			w := newLoad(200, l.tenants, l.leave, Config{Order: order, Full: DropOldest})
			it := w.spare[0]
			const now = 0
			step := func() {
				a := w.q.Push(now, it).Evicted // replaces
				b := w.q.Pop(now)
				w.q.Push(now, a)
				c := w.q.leastRecent()
				w.q.Remove(c)
				w.q.Push(now, b)
				it = c
			}
			for range 1000 {
				step()
			}
			if n := testing.AllocsPerRun(1000, step); n > 0 {
				t.Errorf("%s, %s: %v allocations", order, loadName(l.tenants, l.leave), n)
			}
		}
	}
}

// TestHeapGivesMemoryBack: a spike does not stay in memory for good.
func TestHeapGivesMemoryBack(t *testing.T) {
	q := New()
	q.Configure(0, Config{Places: 1 << 20})
	for i := range 100_000 {
		q.Push(0, &Item{Leave: time.Duration(i)})
	}
	for q.Depth() > 10 {
		q.Pop(0)
	}
	if c := cap(q.leave.e); c > 64 {
		t.Errorf("room for %d after a spike, with %d waiting", c, q.Depth())
	}
}
