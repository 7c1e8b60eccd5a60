package queue

import (
	"math"
	"time"

	"github.com/plimsoll-go/plimsoll/class"
)

// Never is the time of what does not happen.
const Never = time.Duration(math.MaxInt64)

// MaxCost is the largest cost that is told apart from larger ones.
const MaxCost = 1 << 32

// Item is one waiter's place in a queue. Embed it in what waits: it is linked
// into the queue, not copied, and must not move while it is queued. The zero
// value is not queued; fill in the exported fields before each [Queue.Push].
// Changing them while it is queued does not re-file it.
type Item struct {
	// Tenant is a hash of whose work it is: waiting tenants of one criticality
	// are served in turn. Zero: nobody's; all of these share as one tenant.
	Tenant uint64

	// Cost is what serving it counts against its tenant: a tenant whose work
	// costs twice as much has half as many served; and what [SmallestCost] and
	// [DropLargest] go by. Zero or less counts as 1,
	// more than [MaxCost] as MaxCost.
	Cost int64

	// Bytes is the memory that it keeps while it waits, which
	// [Config.MaxBytes] bounds. Less than zero counts as none, more than
	// [MaxItemBytes] as that.
	Bytes int64

	// Arrived is when it arrived, which [CoDel] counts its wait from. The
	// order of arrival is that of Push.
	Arrived time.Duration

	// Deadline is when its caller gives up, and what [EarliestDeadline] goes
	// by. [Never]: no deadline.
	Deadline time.Duration

	// Leave is when it leaves by itself: later than Leave it is dead and
	// [Queue.Expired] returns it. [Never]: it does not leave.
	Leave time.Duration

	// Owner is the caller's.
	Owner any

	// Rank decides the lane, by its criticality, and by the whole of it who
	// gives up a place to whom. Criticality Unset counts as Critical.
	Rank class.Rank

	// Internal says that the producer can be slowed, which [Block] does.
	Internal bool

	// What follows belongs to the queue.
	class  uint8 // its criticality's lane
	lane   uint8 // in which it waits
	level  uint8
	aging  bool          // filed by how long it has waited in its lane
	tagged bool          // counted among those with a tenant
	queue  *Queue        // nil: not queued
	flow   *flow         // its tenant's; kept by Pop for Unserved
	seq    uint64        // rises from Push to Push
	work   int64         // its cost, aged: see aged
	size   int64         // what it counts in bytes
	born   uint64        // seq on arrival
	since  time.Duration // when it came into its lane
	charge int64         // what Pop charged its flow
	links  [chains]link
	at     [heaps]int32 // its index + 1 in each heap; 0: not in it
}

// Queued reports whether the item is in a queue.
func (it *Item) Queued() bool { return it.queue != nil }

// cost is Cost within its bounds.
func (it *Item) cost() int64 { return min(max(it.Cost, 1), MaxCost) }
