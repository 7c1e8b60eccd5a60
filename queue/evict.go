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
	if q.shared {
		return q.reclaim(it)
	}
	low := bits.TrailingZeros8(q.busy)
	l := &q.lanes[low]
	level := l.lowest()
	switch mine := int(it.lane); {
	case low < mine, low == mine && level < int(it.level):
		return Push{Evicted: l.level[level].head}
	case low > mine, level > int(it.level):
		return Push{}
	}
	return q.among(l, it)
}

// among finds who gives its place up to an arrival of its own rank, the lowest
// that waits in lane l.
func (q *Queue) among(l *lane, it *Item) Push {
	level := int(it.level)
	own := l.find(it.Tenant)
	if l.tagged > 0 || it.Tenant != 0 {
		if v := l.overShare(own, class.Level(level)); v != nil {
			return Push{Evicted: v, Share: true}
		}
	}
	if q.cfg.Full != DropOldest {
		return Push{}
	}
	if own != nil && own.n > 0 {
		if v := own.oldestOf(class.Level(level)); v != nil {
			return Push{Evicted: v}
		}
	}
	return Push{Evicted: l.level[level].head}
}
