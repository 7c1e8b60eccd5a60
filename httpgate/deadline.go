package httpgate

import (
	"context"
	"sync"
	"time"
)

// deadline ends the context of an admitted request at the earlier of two
// moments. Unlike the deadline of [context.WithDeadline] it can move: a
// handler extends the time for writing, and a stream that has begun is no
// longer bound by its caller's.
//
// It is the parent of exactly one context, made with [context.WithCancel], and
// of nothing else: that one finds AfterFunc, and everything derived from it
// costs no goroutine.
type deadline struct {
	context.Context // the request's own

	mu     sync.Mutex
	caller time.Time // when the caller stops waiting; zero: never
	write  time.Time // when the server stops writing; zero: never
	timer  *time.Timer
	end    func()    // cancels the child
	passed bool      // it was the deadline that ended the request
	left   time.Time // when the request's own context had ended before; zero: it had not
}

// withDeadline returns a context that ends with parent, with the deadline, or
// when stop is called.
func withDeadline(parent context.Context, caller, write time.Time) (d *deadline, ctx context.Context, stop context.CancelFunc) {
	d = &deadline{Context: parent, caller: caller, write: write}
	ctx, stop = context.WithCancel(d)
	return d, ctx, stop
}

// never is the Done of every deadline: its child is told through AfterFunc.
var never = make(chan struct{})

// Done is there to be different from the parent's: package context would else
// take the child for the parent's own and not ask for AfterFunc.
func (d *deadline) Done() <-chan struct{} { return never }

// Err is asked by the child when it is told that it ends.
func (d *deadline) Err() error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.passed {
		return context.DeadlineExceeded
	}
	return d.Context.Err()
}

// Deadline is the earliest of the two and the parent's.
func (d *deadline) Deadline() (time.Time, bool) {
	d.mu.Lock()
	at := earlier(d.caller, d.write)
	d.mu.Unlock()
	if p, ok := d.Context.Deadline(); ok {
		at = earlier(at, p)
	}
	return at, !at.IsZero()
}

// AfterFunc is called once, by the child's making.
func (d *deadline) AfterFunc(end func()) (stop func() bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.end = end
	d.timer = time.AfterFunc(time.Until(earlier(d.caller, d.write)), d.expire)
	detach := context.AfterFunc(d.Context, d.leave)
	return func() bool {
		d.timer.Stop()
		return detach()
	}
}

// expire runs when the timer fires, which may be too early if the deadline has
// moved at that moment.
func (d *deadline) expire() {
	d.mu.Lock()
	at := earlier(d.caller, d.write)
	if at.IsZero() || !d.left.IsZero() {
		d.mu.Unlock()
		return
	}
	if rest := time.Until(at); rest > 0 {
		d.timer.Reset(rest)
		d.mu.Unlock()
		return
	}
	d.passed = true
	d.mu.Unlock()
	d.end()
}

// leave runs when the request's own context ends first.
func (d *deadline) leave() {
	d.mu.Lock()
	if !d.passed {
		d.left = time.Now()
	}
	d.mu.Unlock()
	d.end()
}

// lift takes the caller's deadline away.
func (d *deadline) lift() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.caller = time.Time{}
	d.restart()
}

// moveWrite puts another end of writing in force; zero: none.
func (d *deadline) moveWrite(at time.Time) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.write = at
	d.restart()
}

// restart sets the timer to the deadline as it is now. It needs the lock.
func (d *deadline) restart() {
	d.timer.Stop()
	if at := earlier(d.caller, d.write); !at.IsZero() {
		d.timer.Reset(time.Until(at))
	}
}

// ended says how things stand at now: whether the deadline has passed, for the
// caller or for writing, and whether the request's own context had ended
// before. A caller that leaves when no more than a tenth of its time is left
// has run out of it: its clock started before ours.
func (d *deadline) ended(started, now time.Time) (caller, write, left bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	left = d.Context.Err() != nil && !d.passed
	if !d.left.IsZero() {
		now = d.left
	}
	reached := func(at time.Time) bool {
		return !at.IsZero() && !now.Before(at)
	}
	write = reached(d.write)
	caller = reached(d.caller)
	if left && !d.caller.IsZero() {
		caller = caller || reached(d.caller.Add(-d.caller.Sub(started)/10))
	}
	return caller, write, left
}
