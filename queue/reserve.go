package queue

import (
	"errors"
	"fmt"

	"github.com/plimsoll-go/plimsoll/class"
)

// Shares are the parts that criticalities are guaranteed, in percent and by
// [class.Criticality.Lane]: 90 for Critical and 10 for Sheddable keep a batch
// alive beside live traffic. What a class does not use is lent to the others.
// The zero value guarantees nothing: the highest goes first, always.
type Shares [class.Count]int

// Any reports whether anybody is guaranteed anything.
func (s Shares) Any() bool { return s != Shares{} }

// Validate reports every fault at once.
func (s Shares) Validate() error {
	var faults []error
	sum := 0
	for lane, part := range s {
		if part < 0 || part > 100 {
			faults = append(faults, fmt.Errorf("%s: want 0 to 100 percent, have %d", class.FromLane(lane), part))
		}
		sum += min(max(part, 0), 100)
	}
	if sum > 100 {
		faults = append(faults, fmt.Errorf("want no more than 100 percent together, have %d", sum))
	}
	return errors.Join(faults...)
}

// reserved is how many places a lane has to itself: its share of all, rounded
// up, so that whoever has a share can have somebody waiting.
func (q *Queue) reserved(lane int) int {
	places, part := max(q.cfg.Places, 0), q.cfg.Shares[lane]
	return places/100*part + (places%100*part+99)/100
}

// borrower is the waiter that has to go first of a lane that has more than its
// own places; nil if it has not.
func (q *Queue) borrower(lane int) *Item {
	l := &q.lanes[lane]
	if l.n <= q.reserved(lane) {
		return nil
	}
	return l.level[l.lowest()].head
}

// reclaim is victim's rule where lanes have places of their own: lower lanes
// give up what they have borrowed, then, for an arrival within its own lane's
// places, higher ones; last, its own lane l settles it by level. False: nobody
// ranks below it there, and its equals settle it.
func (q *Queue) reclaim(l *lane, it *Item) (p Push, settled bool) {
	mine := int(it.lane)
	for lane := range mine {
		if v := q.borrower(lane); v != nil {
			return Push{Evicted: v}, true
		}
	}
	if l.n < q.reserved(mine) {
		for lane := mine + 1; lane < len(q.lanes); lane++ {
			if v := q.borrower(lane); v != nil {
				return Push{Evicted: v}, true
			}
		}
	}
	if l.n == 0 {
		return Push{}, true
	}
	switch level := l.lowest(); {
	case level < int(it.level):
		return Push{Evicted: l.level[level].head}, true
	case level > int(it.level):
		return Push{}, true
	}
	return Push{}, false
}
