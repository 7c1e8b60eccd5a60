package queue

import "github.com/plimsoll-go/plimsoll/class"

// overShare returns the oldest waiter of the given level in the longest flow,
// if that is longer by two than own; nil otherwise. Of several longest, it
// looks into the one whose oldest waiter came first. Own is nil where the
// arrival's tenant has none yet.
func (l *lane) overShare(own *flow, level class.Level) *Item {
	mine := 0
	if own != nil {
		mine = own.n
	}
	longest := l.flows[0]
	if longest.n < mine+2 {
		return nil
	}
	for _, f := range l.flows[1:] {
		if f.n < longest.n {
			break
		}
		if f.all.head.seq < longest.all.head.seq {
			longest = f
		}
	}
	return longest.oldestOf(level)
}

// grow counts one more waiter of f, and keeps flows in order: f changes places
// with the first of those that had as many.
func (l *lane) grow(f *flow) {
	if f.n == 0 {
		f.at = len(l.flows)
		l.flows = append(l.flows, f)
	}
	lo, hi := 0, f.at
	for lo < hi {
		if mid := (lo + hi) / 2; l.flows[mid].n > f.n {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	l.swap(f.at, lo)
	f.n++
}

// shrink counts one less: f changes places with the last of those that had as
// many, and leaves if it was its last.
func (l *lane) shrink(f *flow) {
	lo, hi := f.at, len(l.flows)-1
	for lo < hi {
		if mid := (lo + hi + 1) / 2; l.flows[mid].n < f.n {
			hi = mid - 1
		} else {
			lo = mid
		}
	}
	l.swap(f.at, lo)
	if f.n--; f.n == 0 {
		l.flows[f.at] = nil
		l.flows = l.flows[:f.at]
	}
}

func (l *lane) swap(i, j int) {
	if i == j {
		return
	}
	l.flows[i], l.flows[j] = l.flows[j], l.flows[i]
	l.flows[i].at, l.flows[j].at = i, j
}
