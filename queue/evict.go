package queue

import (
	"math/bits"

	"github.com/plimsoll-go/plimsoll/class"
)

// victim returns who gives its place up to it, as [Queue.Push] says.
//
// Nobody waits below the arrival's rank once the second rule has found
// nothing. So the others, which act among equals, have somebody to act on only
// where the arrival's rank is the lowest that waits; who ranks below is
// refused without a further look.
func (q *Queue) victim(it *Item) Push {
	if q.n == 0 {
		return Push{}
	}
	if len(q.leave.e) > 0 && q.leave.e[0].at < q.clock {
		return Push{Evicted: q.leave.e[0].it, Expired: true}
	}
	l := &q.lanes[it.lane]
	if q.shared {
		if p, settled := q.reclaim(l, it); settled {
			return p
		}
	} else {
		low := bits.TrailingZeros8(q.busy)
		level := q.lanes[low].lowest()
		switch mine := int(it.lane); {
		case low < mine, low == mine && level < int(it.level):
			return Push{Evicted: q.lanes[low].level[level].head}
		case low > mine, level > int(it.level):
			return Push{}
		}
	}
	own := l.find(it.Tenant)
	if l.tagged > 0 || it.Tenant != 0 {
		if v := l.overShare(own, class.Level(it.level)); v != nil {
			return Push{Evicted: v, Share: true}
		}
	}
	switch q.cfg.Full {
	case DropOldest:
		if own != nil && own.n > 0 {
			if v := own.oldestOf(class.Level(it.level)); v != nil {
				return Push{Evicted: v}
			}
		}
		return Push{Evicted: l.level[it.level].head}
	case DropLargest:
		return Push{Evicted: l.larger(it)}
	}
	return Push{}
}
