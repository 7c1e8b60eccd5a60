package demo

import (
	"context"
	"io"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"github.com/plimsoll-go/plimsoll/cmd/plimsoll/internal/openloop"
)

// backend is a service that collapses under overload, for two ordinary
// reasons: its queue is unbounded and oldest first, and a job stays in it when
// its caller has left, costing its slot time all the same.
type backend struct {
	service   time.Duration // what one job holds a slot for
	completed atomic.Int64  // jobs done, whether or not anybody still waited
	delay     atomic.Int64  // nanoseconds that an answer takes when its job is done; no slot is held for it

	mu         sync.Mutex
	some       *sync.Cond // the queue is not empty, or stopped
	head, tail *job
	depth      int
	stopped    bool

	slots sync.WaitGroup
}

// job is one request in the backend's queue.
type job struct {
	arrived time.Time
	done    chan struct{}
	next    *job
}

// newBackend starts a backend with the given number of slots. stop ends it.
func newBackend(slots int, service time.Duration) *backend {
	b := &backend{service: service}
	b.some = sync.NewCond(&b.mu)
	for range slots {
		b.slots.Go(b.slot)
	}
	return b
}

// ServeHTTP queues a job and answers when it is done. When the caller leaves,
// the handler returns, so that departed callers hold no descriptors; the job
// stays.
func (b *backend) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	j := b.enqueue()
	select {
	case <-j.done:
		if d := time.Duration(b.delay.Load()); d > 0 {
			openloop.Pause(r.Context(), d)
		}
		_, _ = io.WriteString(w, "done\n")
	case <-r.Context().Done():
	}
}

func (b *backend) enqueue() *job {
	j := &job{arrived: time.Now(), done: make(chan struct{})}
	b.mu.Lock()
	if b.tail == nil {
		b.head = j
	} else {
		b.tail.next = j
	}
	b.tail = j
	b.depth++
	b.mu.Unlock()
	b.some.Signal()
	return j
}

// dequeue waits for the oldest job; nil means that the backend was stopped.
func (b *backend) dequeue() *job {
	b.mu.Lock()
	defer b.mu.Unlock()
	for b.head == nil && !b.stopped {
		b.some.Wait()
	}
	if b.stopped {
		return nil
	}
	j := b.head
	b.head = j.next
	if b.head == nil {
		b.tail = nil
	}
	b.depth--
	return j
}

// slot does one job after the other. It keeps time of its own: a job that was
// waiting when the slot came free began at that moment, whenever the slot's
// goroutine got to run. A late timer or a busy machine then delays an answer,
// but is no loss of capacity, as it would not be were the backend elsewhere.
func (b *backend) slot() {
	var free time.Time // when the last job ended
	for {
		j := b.dequeue()
		if j == nil {
			return
		}
		begin := j.arrived
		if free.After(begin) {
			begin = free
		}
		free = begin.Add(b.service)
		time.Sleep(time.Until(free))
		b.completed.Add(1)
		close(j.done)
	}
}

// follow delays answers as the phases say, as long as they last. What lies
// behind the backend then takes longer, not the backend.
func (b *backend) follow(ctx context.Context, phases []phase) {
	start := time.Now()
	for i, p := range phases {
		begin, _ := span(phases, i)
		openloop.Pause(ctx, begin-time.Since(start))
		b.delay.Store(int64(p.delay))
	}
}

// backlog is how many jobs wait for a slot.
func (b *backend) backlog() int {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.depth
}

// stop ends the slots after the jobs they have begun and forgets the queue.
func (b *backend) stop() {
	b.mu.Lock()
	b.stopped = true
	b.mu.Unlock()
	b.some.Broadcast()
	b.slots.Wait()
}
