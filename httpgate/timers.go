package httpgate

import (
	"sync"
	"time"
)

// timers are the deadlines of one handler's requests, on one timer of the
// runtime. Nearly all of them are removed before their time: setting and
// stopping a runtime timer for each, with the thread that this can wake, costs
// many times as much as a place in this heap. The runtime's timer is set only
// when an earlier deadline comes, and when it fires; it may fire for nobody.
type timers struct {
	mu    sync.Mutex
	heap  []*timer // by time, the earliest first
	timer *time.Timer
	armed time.Time // when timer fires; zero: not at all
}

// timer is one deadline. Its fields belong to the timers' lock.
type timer struct {
	at    time.Time
	owner *timedContext
	index int // in the heap, or idle
}

const idle = -1

// set puts t at a time, wherever it was before; zero takes it out.
func (ts *timers) set(t *timer, at time.Time) {
	ts.mu.Lock()
	defer ts.mu.Unlock()
	if t.index != idle {
		ts.remove(t)
	}
	if at.IsZero() {
		return
	}
	t.at, t.index = at, len(ts.heap)
	ts.heap = append(ts.heap, t)
	ts.up(t.index)
	if t.index == 0 && (ts.armed.IsZero() || at.Before(ts.armed)) {
		ts.arm(at)
	}
}

func (ts *timers) arm(at time.Time) {
	ts.armed = at
	if ts.timer == nil {
		ts.timer = time.AfterFunc(time.Until(at), ts.fire)
	} else {
		ts.timer.Reset(time.Until(at))
	}
}

// fire expires what is due.
func (ts *timers) fire() {
	now := time.Now()
	var due []*timedContext
	ts.mu.Lock()
	for len(ts.heap) > 0 && !now.Before(ts.heap[0].at) {
		t := ts.heap[0]
		ts.remove(t)
		due = append(due, t.owner)
	}
	if len(ts.heap) > 0 {
		ts.arm(ts.heap[0].at)
	} else {
		ts.armed = time.Time{}
	}
	ts.mu.Unlock()
	for _, c := range due {
		c.expire(now)
	}
}

// remove takes t out of the heap.
func (ts *timers) remove(t *timer) {
	i, last := t.index, len(ts.heap)-1
	ts.swap(i, last)
	ts.heap[last] = nil
	ts.heap = ts.heap[:last]
	t.index = idle
	if i < last {
		ts.down(i)
		ts.up(i)
	}
}

func (ts *timers) up(i int) {
	for i > 0 {
		parent := (i - 1) / 2
		if !ts.heap[i].at.Before(ts.heap[parent].at) {
			return
		}
		ts.swap(i, parent)
		i = parent
	}
}

func (ts *timers) down(i int) {
	for {
		least := i
		for child := 2*i + 1; child <= 2*i+2 && child < len(ts.heap); child++ {
			if ts.heap[child].at.Before(ts.heap[least].at) {
				least = child
			}
		}
		if least == i {
			return
		}
		ts.swap(i, least)
		i = least
	}
}

func (ts *timers) swap(i, j int) {
	ts.heap[i], ts.heap[j] = ts.heap[j], ts.heap[i]
	ts.heap[i].index, ts.heap[j].index = i, j
}
