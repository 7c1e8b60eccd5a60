package queue

import (
	"math"
	"testing"
	"time"
)

const (
	ms   = time.Millisecond
	tick = 50 * time.Microsecond
)

// controlledLine is a queue under CoDel with one dequeue a tick, which keeps so many
// waiting, and remembers when somebody was given up.
type controlledLine struct {
	t     *testing.T
	q     *Queue
	now   time.Duration
	drops []time.Duration
}

func newControlledLine(t *testing.T) *controlledLine {
	l := &controlledLine{t: t, q: New()}
	l.q.Configure(0, Config{Places: 1 << 20, Order: OldestFirst, CoDel: &CoDel{}})
	return l
}

func (l *controlledLine) push(n int) {
	for range n {
		l.q.Push(l.now, &Item{Arrived: l.now, Leave: Never, Deadline: Never})
	}
}

// serve is one dequeue: it returns how many it gave up.
func (l *controlledLine) serve() (dropped int) {
	for it := l.q.Pop(l.now); it != nil && l.q.Drop(it); it = l.q.Pop(l.now) {
		l.q.Unserved(it)
		l.drops = append(l.drops, l.now)
		dropped++
	}
	return dropped
}

// keep has so many wait at every dequeue until a time.
func (l *controlledLine) keep(n int, until time.Duration) {
	for ; l.now < until; l.now += tick {
		l.push(n - l.q.Depth())
		l.serve()
	}
}

// TestR07ControlLaw: the gaps of a queue that stands are interval / sqrt(count),
// and the first drop comes one interval after waits rose above the target.
func TestR07ControlLaw(t *testing.T) {
	l := newControlledLine(t)
	l.keep(500, 600*ms)
	if len(l.drops) < 5 {
		t.Fatalf("dropped at %v", l.drops)
	}
	for i, want := range []float64{0, 100, 170.7, 228.4, 278.4} {
		if got := float64(l.drops[i]-l.drops[0]) / 1e6; math.Abs(got-want) > 0.1 {
			t.Errorf("drop %d at %.2f ms after the first, want %.1f", i, got, want)
		}
	}
	if first := l.drops[0]; first < 105*ms || first > 106*ms {
		t.Errorf("first drop at %v, want it one interval after the first wait of 5 ms", first)
	}
}

// perSecond is the rate of drops in the time up to until.
func (l *controlledLine) perSecond(over, until time.Duration) float64 {
	n := 0
	for _, at := range l.drops {
		if at > until-over && at <= until {
			n++
		}
	}
	return float64(n) / over.Seconds()
}

// TestB63CoDelDetails: what CoDel forgets when, and whom it spares
// (vitessio/vitess#20639, slok/goresilience#10, dotnet/aspnetcore#10853).
func TestB63CoDelDetails(t *testing.T) {
	t.Run("a: overload, 50 ms of calm, overload", func(t *testing.T) {
		l := newControlledLine(t)
		l.keep(500, 10*time.Second)
		before := l.perSecond(200*ms, l.now)
		for l.q.Depth() > 0 {
			l.q.Pop(l.now)
		}
		l.now += 50 * ms
		calm := l.now
		l.keep(500, calm+time.Second)
		var first time.Duration
		for _, at := range l.drops {
			if at > calm {
				first = at
				break
			}
		}
		l.keep(500, first+200*ms)
		after := l.perSecond(200*ms, first+200*ms)
		t.Logf("%.0f drops a second, then %.0f", before, after)
		if math.Abs(after-before) > before/10 {
			t.Errorf("%.0f drops a second before the calm, %.0f after it", before, after)
		}
	})
	t.Run("b: more than 16 intervals of calm, a burst", func(t *testing.T) {
		l := newControlledLine(t)
		l.keep(500, 10*time.Second)
		for l.q.Depth() > 0 {
			l.q.Pop(l.now)
		}
		l.now += 17 * DefaultInterval
		l.drops = nil
		l.push(50)
		for range 80 { // in 4 ms
			l.serve()
			l.now += tick
		}
		for l.q.Depth() > 0 {
			l.serve()
		}
		if len(l.drops) > 0 {
			t.Errorf("dropped at %v", l.drops)
		}
		l.keep(500, l.now+109*ms)
		if len(l.drops) != 1 {
			t.Errorf("dropped at %v, want one: the old level is forgotten", l.drops)
		}
	})
	t.Run("c: the only one", func(t *testing.T) {
		l := newControlledLine(t)
		for range 1000 {
			l.push(1)
			l.now += 20 * ms
			if n := l.serve(); n > 0 {
				t.Fatalf("at %v: the only one that waits is dropped", l.now)
			}
		}
		l.keep(500, l.now+time.Second)
		for l.q.Depth() > 1 {
			l.serve()
		}
		l.now += time.Second
		if n := l.serve(); n > 0 {
			t.Error("the last of a queue that stood is dropped")
		}
	})
}

// TestCoDelForgetsAQueueThatEmptiedUnserved: callers that left have left no
// wait above the target.
func TestCoDelForgetsAQueueThatEmptiedUnserved(t *testing.T) {
	l := newControlledLine(t)
	l.keep(100, 50*ms) // above the target, for less than an interval
	for it := l.q.leastRecent(); it != nil; it = l.q.leastRecent() {
		l.q.Remove(it)
	}
	l.now += time.Hour
	l.push(10)
	l.now += 10 * ms
	if n := l.serve(); n > 0 {
		t.Errorf("%d dropped 10 ms after a burst on an empty queue", n)
	}
}

// TestCoDelBoundsTheWorkOfADequeue: after a long time without one, what is
// owed is not paid at once.
func TestCoDelBoundsTheWorkOfADequeue(t *testing.T) {
	l := newControlledLine(t)
	l.keep(500, 3*time.Second)
	l.push(1000)
	l.now += time.Minute
	for range 20 {
		if n := l.serve(); n > MaxDrops {
			t.Fatalf("%d dropped in one dequeue", n)
		}
	}
}

// TestCoDelByTenant: who keeps a queue standing pays for it alone.
func TestCoDelByTenant(t *testing.T) {
	q := New()
	q.Configure(0, Config{Places: 1000, Order: OldestFirst, CoDel: &CoDel{}})
	var lost [3]int
	for now := time.Duration(0); now < 2*time.Second; now += ms {
		push := func(tenant uint64) {
			q.Push(now, &Item{Tenant: tenant, Arrived: now, Leave: Never, Deadline: Never})
		}
		push(1)
		if now%(4*ms) == 0 {
			push(2)
			push(1)
		}
		it := q.Pop(now)
		if q.Drop(it) {
			q.Unserved(it)
			lost[it.Tenant]++
		}
	}
	if lost[1] == 0 || lost[2] > 0 {
		t.Errorf("the heavy one lost %d, the light one %d", lost[1], lost[2])
	}
}

func TestCoDelValidate(t *testing.T) {
	for _, tc := range []struct {
		c    CoDel
		good bool
	}{
		{CoDel{}, true},
		{CoDel{Target: 20 * ms, Interval: 400 * ms}, true},
		{CoDel{Target: -1}, false},
		{CoDel{Interval: -1}, false},
		{CoDel{Target: 200 * ms}, false},
		{CoDel{Target: 5 * ms, Interval: 5 * ms}, false},
	} {
		if err := tc.c.Validate(); err == nil != tc.good {
			t.Errorf("%+v: %v", tc.c, err)
		}
	}
}
