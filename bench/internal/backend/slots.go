package backend

import (
	"context"
	"sync"
	"sync/atomic"
	"time"
)

// Slots work off jobs, the oldest first. A job whose caller has left stays in
// the queue, which has no bound, and costs its slot time all the same. All
// methods may be called concurrently.
type Slots struct {
	service atomic.Int64 // nanoseconds that a job which begins now holds a slot for
	busy    sync.WaitGroup

	mu      sync.Mutex
	some    *sync.Cond // the queue is not empty, or stopped
	queue   []job      // those from first on wait
	first   int
	stopped bool
}

type job struct {
	arrived time.Time
	done    chan struct{}
}

// NewSlots starts n slots, each held by a job for the service time. Stop ends
// them.
func NewSlots(n int, service time.Duration) *Slots {
	s := &Slots{}
	s.service.Store(int64(service))
	s.some = sync.NewCond(&s.mu)
	for range n {
		s.busy.Go(s.slot)
	}
	return s
}

// Serve waits for a job to be done, or for the caller's leaving.
func (s *Slots) Serve(ctx context.Context) error {
	j := job{arrived: time.Now(), done: make(chan struct{})}
	s.mu.Lock()
	s.queue = append(s.queue, j)
	s.mu.Unlock()
	s.some.Signal()
	select {
	case <-j.done:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// next waits for the oldest job; false: the slots were stopped.
func (s *Slots) next() (job, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for s.first == len(s.queue) && !s.stopped {
		s.some.Wait()
	}
	if s.stopped {
		return job{}, false
	}
	j := s.queue[s.first]
	s.queue[s.first] = job{}
	if s.first++; s.first > 1024 && 2*s.first > len(s.queue) {
		s.queue, s.first = append(s.queue[:0:0], s.queue[s.first:]...), 0
	}
	return j, true
}

// slot does one job after another. It keeps time of its own: a job that was
// waiting when the slot came free began at that moment, whenever the slot's
// goroutine got to run. A late timer then delays an answer and is no loss of
// capacity, as it would not be were the backend on another machine.
func (s *Slots) slot() {
	var free time.Time // when the last job ended
	for {
		j, ok := s.next()
		if !ok {
			return
		}
		begin := j.arrived
		if free.After(begin) {
			begin = free
		}
		free = begin.Add(time.Duration(s.service.Load()))
		time.Sleep(time.Until(free))
		close(j.done)
	}
}

// Waiting is how many jobs wait for a slot.
func (s *Slots) Waiting() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.queue) - s.first
}

// Stop ends the slots after the jobs that they have begun, and forgets the
// queue.
func (s *Slots) Stop() {
	s.mu.Lock()
	s.stopped = true
	s.mu.Unlock()
	s.some.Broadcast()
	s.busy.Wait()
}
