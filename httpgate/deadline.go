package httpgate

import (
	"context"
	"sync"
	"time"
)

// timedContext is the context of an admitted request that has a deadline: it
// ends at the earlier of two moments, or with the request's own context.
//
// Unlike that of [context.WithDeadline] its deadline can move: a handler
// extends the time for writing, and a stream that has begun is no longer bound
// by its caller's. Package context finds AfterFunc, so that what is derived
// from it costs no goroutine, and its timer is shared, see [timers].
type timedContext struct {
	taggedContext // of the request's own context
	timers        *timers
	entry         timer
	cutter        *cutter // nil: nothing is cut
	started       time.Time
	unwatch       func() bool // stops listening to the request's own context

	mu       sync.Mutex
	caller   time.Time     // when the caller stops waiting; zero: never
	write    time.Time     // when the server stops writing; zero: never
	begin    time.Time     // when the handler's own call must have begun to answer; zero: there is no such bound
	overdue  bool          // ended because it had not
	done     chan struct{} // nil until somebody asks
	err      error         // nil until it ends
	served   bool          // the request has been: nothing is cut any more
	left     time.Time     // when the request's own context ended, if that came first
	children []child       // to be called when it ends
	few      [2]child      // room for as many as there mostly are
	adopted  uint          // children so far
	armed    time.Time     // when expire is called; zero: not at all
}

// child is what to call when a context ends.
type child struct {
	number uint
	f      func()
}

// closed is the Done of contexts that had ended before somebody asked.
var closed = func() chan struct{} { c := make(chan struct{}); close(c); return c }()

// The entry is set so much before the first deadline, and no more than that part
// of the time: a handler that passes the request on keeps so much back from its
// own call, whose bound needs then not move the entry.
const (
	armEarly     = 10 * time.Millisecond
	armEarlyPart = 8
)

// start lets the time run. The context must be in its place in memory.
func (c *timedContext) start(ts *timers, now, caller, write time.Time) {
	c.timers, c.started, c.caller, c.write = ts, now, caller, write
	c.entry = timer{owner: c, index: idle}
	c.armed = earlier(caller, write)
	c.armed = c.armed.Add(-max(0, min(armEarly, c.armed.Sub(now)/armEarlyPart)))
	ts.set(&c.entry, c.armed)
	c.unwatch = context.AfterFunc(c.Context, c.leave)
}

// stop ends the context when its request has been served.
func (c *timedContext) stop() {
	c.mu.Lock()
	c.served = true
	c.endLocked(context.Canceled)
	c.timers.set(&c.entry, time.Time{}) // from now on nobody sets it again
	c.unwatch()
}

// expire is called when the entry's time has come. If the deadline has moved
// meanwhile it only sets the entry again.
func (c *timedContext) expire(now time.Time) {
	c.mu.Lock()
	c.armed = time.Time{}
	if at := c.nextLocked(); at.IsZero() || now.Before(at) {
		c.moveLocked()
		c.mu.Unlock()
		return
	}
	write := c.write
	if at := earlier(c.caller, c.write); at.IsZero() || now.Before(at) {
		c.overdue, c.begin = true, time.Time{}
		c.moveLocked()
		c.endLocked(context.DeadlineExceeded)
		return // the caller's time is not over: there is an answer to give
	}
	c.endLocked(context.DeadlineExceeded)
	if c.cutter != nil {
		c.cutter.late(now, write)
	}
}

// leave is called when the request's own context has ended.
func (c *timedContext) leave() {
	c.mu.Lock()
	if c.err == nil {
		c.left = time.Now()
	}
	c.endLocked(c.Context.Err())
}

// endLocked ends the context, if it has not ended yet, and unlocks it.
func (c *timedContext) endLocked(err error) {
	if c.err != nil {
		c.mu.Unlock()
		return
	}
	c.err = err
	if c.done == nil {
		c.done = closed
	} else {
		close(c.done)
	}
	children := c.children
	c.children = nil
	c.mu.Unlock()
	for i := range children {
		children[i].f() // a cancellation by package context: it does not block
	}
}

// Done is as context.Context has it.
func (c *timedContext) Done() <-chan struct{} {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.done == nil {
		c.done = make(chan struct{})
	}
	return c.done
}

// Err is as context.Context has it.
func (c *timedContext) Err() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.err
}

// Deadline is the earliest of the two and the request's own.
func (c *timedContext) Deadline() (time.Time, bool) {
	c.mu.Lock()
	at := earlier(c.caller, c.write)
	c.mu.Unlock()
	if p, ok := c.Context.Deadline(); ok {
		at = earlier(at, p)
	}
	return at, !at.IsZero()
}

// AfterFunc is asked for by package context for every derived context.
func (c *timedContext) AfterFunc(f func()) (stop func() bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.err != nil {
		go f()
		return func() bool { return false }
	}
	if c.children == nil {
		c.children = c.few[:0]
	}
	c.adopted++
	number := c.adopted
	c.children = append(c.children, child{number, f})
	return func() bool { return c.disown(number) }
}

// disown forgets a child, and reports whether it had not been called.
func (c *timedContext) disown(number uint) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	for i := range c.children {
		if c.children[i].number == number {
			last := len(c.children) - 1
			c.children[i], c.children[last] = c.children[last], child{}
			c.children = c.children[:last]
			return true
		}
	}
	return false
}

// lift takes the caller's deadline away.
func (c *timedContext) lift() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.caller = time.Time{}
	c.moveLocked()
}

// moveWrite puts another end of writing in force; zero: none.
func (c *timedContext) moveWrite(at time.Time) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.write = at
	c.moveLocked()
}

// moveLocked brings the entry up to date. It stays where it is for a deadline
// that is later: most requests are served before the first, and there is nothing
// to move then.
func (c *timedContext) moveLocked() {
	at := c.nextLocked()
	if c.served || !at.IsZero() && !c.armed.IsZero() && !at.Before(c.armed) {
		return
	}
	c.armed = at
	c.timers.set(&c.entry, at)
}

// nextLocked is the earliest moment at which it ends by itself. Once it has
// ended, it is the deadline: a handler that is stuck all the same is cut off.
func (c *timedContext) nextLocked() time.Time {
	at := earlier(c.caller, c.write)
	if c.err == nil {
		at = earlier(at, c.begin)
	}
	return at
}

// timers are the deadlines of one handler's requests, on one timer of the
// runtime. Nearly all of them are removed before their time: setting and
// stopping a runtime timer for each, with the thread that this can wake, costs
// many times as much as a place in a heap. The runtime's timer is set only
// when an earlier deadline comes, and when it fires; it may fire for nobody.
type timers struct {
	mu    sync.Mutex
	heap  timerHeap
	timer *time.Timer
	armed time.Time // when timer fires; zero: not at all
}

// set puts t at a time, wherever it was before; zero takes it out.
func (ts *timers) set(t *timer, at time.Time) {
	ts.mu.Lock()
	defer ts.mu.Unlock()
	ts.heap.set(t, at)
	if !at.IsZero() && (ts.armed.IsZero() || at.Before(ts.armed)) {
		ts.armLocked(at)
	}
}

func (ts *timers) armLocked(at time.Time) {
	ts.armed = at
	switch {
	case at.IsZero():
	case ts.timer == nil:
		ts.timer = time.AfterFunc(time.Until(at), ts.fire)
	default:
		ts.timer.Reset(time.Until(at))
	}
}

// fire expires what is due.
func (ts *timers) fire() {
	now := time.Now()
	ts.mu.Lock()
	due := ts.heap.due(now)
	ts.armLocked(ts.heap.next())
	ts.mu.Unlock()
	for _, c := range due {
		c.expire(now)
	}
}
