package sim

import "time"

// slots is how many parts a window of [recent] has.
const slots = 10

// recent counts two things over a window that moves in steps of a tenth of it:
// the running tenth and the nine before it.
type recent struct {
	step   time.Duration
	slot   int64 // the number of the running step
	counts [slots][2]uint64
	sum    [2]uint64
}

func newRecent(window time.Duration) recent { return recent{step: max(window/slots, 1)} }

// move forgets what has become too old.
func (r *recent) move(now time.Duration) {
	slot := int64(now / r.step)
	if slot-r.slot >= slots {
		*r = recent{step: r.step, slot: slot}
	}
	for r.slot < slot {
		r.slot++
		old := &r.counts[r.slot%slots]
		r.sum[0] -= old[0]
		r.sum[1] -= old[1]
		*old = [2]uint64{}
	}
}

// count is one more of one of the two.
func (r *recent) count(now time.Duration, which int) {
	r.move(now)
	r.counts[r.slot%slots][which]++
	r.sum[which]++
}
