package plimsoll

import (
	"slices"
	"time"
)

// seats is a free list, and all the seats that it ever handed out and still
// knows. It is as concurrent as what it is part of: a stripe's is guarded by
// the stripe's lock, the gate's by the gate's.
type seats struct {
	free []*seat
	all  []*seat
	idle int // the fewest free since the last trim
}

// take returns a seat from the free list, or a new one with the given home.
func (l *seats) take(home *stripe) *seat {
	n := len(l.free)
	if n == 0 {
		s := newSeat(home)
		l.all = append(l.all, s)
		l.idle = 0
		return s
	}
	s := l.free[n-1]
	l.free = l.free[:n-1]
	l.idle = min(l.idle, n-1)
	return s
}

func (l *seats) put(s *seat) { l.free = append(l.free, s) }

// trim lets go of half of the seats that nobody has needed since the last
// trim, so that the list follows the recent peak down.
func (l *seats) trim() {
	drop := min(l.idle, len(l.free)) / 2
	if drop > 0 {
		gone := make(map[*seat]bool, drop)
		for _, s := range l.free[:drop] {
			gone[s] = true
		}
		l.free = slices.Clone(l.free[drop:])
		l.all = slices.Clone(slices.DeleteFunc(l.all, func(s *seat) bool { return gone[s] }))
	}
	l.idle = len(l.free)
}

// overdue counts the seats that tickets have held for longer than age.
func (l *seats) overdue(now, age time.Duration) int {
	n := 0
	for _, s := range l.all {
		if d, held := s.heldFor(now); held && d > age {
			n++
		}
	}
	return n
}
