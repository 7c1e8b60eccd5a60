package breaker

import "time"

// flying knows how many attempts have been in flight for longer than Slow. A
// breaker that learns at the end of attempts only opens, in a hang, when the
// first of them time out: by then so many are in flight as have come in all that
// time. It counts those sent in each eighth of Slow instead of listing them, so
// one is overdue after 9/8 of Slow at the latest.
type flying struct {
	slow  time.Duration // 0: nothing is counted
	slice int64         // the running one
	ring  [flyingSlices]uint64
	late  uint64 // sent before all that the ring has
}

const (
	perSlow      = 8
	flyingSlices = perSlow + 1 // the running one, and those of a whole Slow before it
)

func (f *flying) at(now time.Duration) int64 { return int64(now / ((f.slow + perSlow - 1) / perSlow)) }

// advance moves those that were sent too long ago to the late ones.
func (f *flying) advance(now time.Duration) {
	slice := f.at(now)
	for range min(slice-f.slice, flyingSlices) {
		f.slice++
		old := &f.ring[uint64(f.slice)%flyingSlices]
		f.late += *old
		*old = 0
	}
	f.slice = max(f.slice, slice)
}

// sent is one more.
func (f *flying) sent(now time.Duration) {
	if f.slow > 0 {
		f.advance(now)
		f.ring[uint64(f.slice)%flyingSlices]++
	}
}

// done is one less, and whether it was slow: exactly, though it may not have
// been among the late ones yet.
func (f *flying) done(now, sent time.Duration) bool {
	if f.slow <= 0 {
		return false
	}
	f.advance(now)
	in := &f.late
	if slice := f.at(sent); f.slice-slice < flyingSlices {
		in = &f.ring[uint64(slice)%flyingSlices]
	}
	if *in == 0 {
		panic("breaker: Done was called twice for an attempt")
	}
	*in--
	return now-sent > f.slow
}

// overdue is how many have been in flight for longer than Slow.
func (f *flying) overdue(now time.Duration) uint64 {
	if f.slow <= 0 {
		return 0
	}
	f.advance(now)
	return f.late
}

func (f *flying) forget() { *f = flying{slow: f.slow, slice: f.slice} }
