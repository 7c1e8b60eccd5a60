package stats

import "time"

// RecentKinds is how many kinds of events a [Recent] counts.
const RecentKinds = 3

// RecentSlices is the number of slices that a [Recent] divides its window into.
const RecentSlices = 10

// DefaultRecentWindow is the window of a [Recent] that names none.
const DefaultRecentWindow = 10 * time.Second

// Recent counts events of a few kinds over a window that moves on in steps of a
// tenth of it: an event is forgotten between 9/10 of the window and the whole
// window after it was counted, never later. Unlike a [Rate], its sums are whole
// numbers, of which a share is exact. The zero value is ready. It is not safe
// for concurrent use.
type Recent struct {
	// Window is how long an event counts; 0 means DefaultRecentWindow. It is set
	// before first use.
	Window time.Duration

	slice  int64 // the number of the running slice since the epoch
	counts [RecentSlices][RecentKinds]uint64
	sum    [RecentKinds]uint64
}

// Count counts one event at now, of a kind from 0 to [RecentKinds]-1.
func (r *Recent) Count(now time.Duration, kind int) {
	r.advance(now)
	r.counts[uint64(r.slice)%RecentSlices][kind]++
	r.sum[kind]++
}

// Sum returns how many events of a kind the window that ends at now has.
func (r *Recent) Sum(now time.Duration, kind int) uint64 {
	r.advance(now)
	return r.sum[kind]
}

// Forget forgets all events.
func (r *Recent) Forget() { *r = Recent{Window: r.Window} }

func (r *Recent) advance(now time.Duration) {
	window := r.Window
	if window <= 0 {
		window = DefaultRecentWindow
	}
	slice := int64(max(now, 0) / max(window/RecentSlices, 1))
	if slice-r.slice >= RecentSlices {
		*r = Recent{Window: r.Window, slice: slice}
	}
	for r.slice < slice {
		r.slice++
		old := &r.counts[uint64(r.slice)%RecentSlices]
		for i, n := range old {
			r.sum[i] -= n
		}
		*old = [RecentKinds]uint64{}
	}
}
