package sim

import "time"

// what says what an event is.
type what uint8

const (
	arrival  what = iota // a source's next request; n: the source
	done                 // a worker ends a job
	patience             // a caller's patience ends
	retrying             // a caller tries again
	heard                // an attempt hears of its calls; n: how they ended
	disturb              // n: the disturbance
	resume               // a stall ends; n: the station
	killing              // a process is out of memory; n: the station
	back                 // it is back
	joining              // a client comes back after it; n: the source
	streamed             // a stream ends
	closing              // a source ends; n: the source
)

// event happens at a time. Events of one time happen in the order they were
// scheduled in.
type event struct {
	at   time.Duration
	seq  uint64
	c    *call
	gen  uint32 // of c: an event of a call that has ended since is void
	n    int32
	what what
}

func (e *event) before(o *event) bool {
	return e.at < o.at || e.at == o.at && e.seq < o.seq
}

// events is a heap with four children to a node: half as deep as a binary one,
// and the four lie side by side.
type events []event

func (h *events) push(e event) {
	s := append(*h, e)
	i := len(s) - 1
	for i > 0 {
		p := (i - 1) / 4
		if !e.before(&s[p]) {
			break
		}
		s[i] = s[p]
		i = p
	}
	s[i] = e
	*h = s
}

func (h *events) pop() event {
	s := *h
	top, e := s[0], s[len(s)-1]
	s[len(s)-1] = event{}
	s = s[:len(s)-1]
	*h = s
	if len(s) == 0 {
		return top
	}
	i := 0
	for {
		first := 4*i + 1
		if first >= len(s) {
			break
		}
		least := first
		for j := first + 1; j < min(first+4, len(s)); j++ {
			if s[j].before(&s[least]) {
				least = j
			}
		}
		if !s[least].before(&e) {
			break
		}
		s[i] = s[least]
		i = least
	}
	s[i] = e
	return top
}
