package overload

import (
	"context"
	"sync"
	"sync/atomic"
	"time"
)

// slots is a backend of some slots before an unbounded queue, oldest first. A
// job whose caller has left stays in it and costs its slot time all the same.
type slots struct {
	service time.Duration
	busy    sync.WaitGroup

	mu      sync.Mutex
	some    *sync.Cond // the queue is not empty, or stopped
	queue   []job      // those from first on wait
	first   int
	stopped atomic.Bool
}

type job struct {
	arrived time.Time
	done    chan struct{}
}

// newSlots starts a backend of n slots. stop ends it.
func newSlots(n int, service time.Duration) *slots {
	s := &slots{service: service}
	s.some = sync.NewCond(&s.mu)
	for range n {
		s.busy.Go(s.slot)
	}
	return s
}

// serve waits for a job to be done, or for the caller's leaving.
func (s *slots) serve(ctx context.Context) error {
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

// next waits for the oldest job; false: the backend was stopped.
func (s *slots) next() (job, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for s.first == len(s.queue) && !s.stopped.Load() {
		s.some.Wait()
	}
	if s.stopped.Load() {
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
func (s *slots) slot() {
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
		free = begin.Add(s.service)
		time.Sleep(time.Until(free))
		close(j.done)
	}
}

// stop ends the slots after the jobs they have begun.
func (s *slots) stop() {
	s.mu.Lock()
	s.stopped.Store(true)
	s.mu.Unlock()
	s.some.Broadcast()
	s.busy.Wait()
}
