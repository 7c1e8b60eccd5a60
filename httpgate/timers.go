package httpgate

import "time"

// timer is one deadline in a [timerHeap].
type timer struct {
	at    time.Time
	owner *timedContext
	index int // in the heap, or idle
}

const idle = -1

// timerHeap is a binary heap of deadlines, the earliest first, whose members
// know their place so that they can leave it.
type timerHeap []*timer

// set puts t at a time, wherever it was before; zero takes it out.
func (h *timerHeap) set(t *timer, at time.Time) {
	if t.index != idle {
		h.remove(t)
	}
	if at.IsZero() {
		return
	}
	t.at, t.index = at, len(*h)
	*h = append(*h, t)
	h.up(t.index)
}

// next is when the earliest is due; zero: there is none.
func (h timerHeap) next() time.Time {
	if len(h) == 0 {
		return time.Time{}
	}
	return h[0].at
}

// due takes out what is due at now.
func (h *timerHeap) due(now time.Time) (owners []*timedContext) {
	for len(*h) > 0 && !now.Before((*h)[0].at) {
		t := (*h)[0]
		h.remove(t)
		owners = append(owners, t.owner)
	}
	return owners
}

func (h *timerHeap) remove(t *timer) {
	i, last := t.index, len(*h)-1
	h.swap(i, last)
	(*h)[last] = nil
	*h = (*h)[:last]
	t.index = idle
	if i < last {
		h.down(i)
		h.up(i)
	}
}

func (h timerHeap) up(i int) {
	for i > 0 {
		parent := (i - 1) / 2
		if !h[i].at.Before(h[parent].at) {
			return
		}
		h.swap(i, parent)
		i = parent
	}
}

func (h timerHeap) down(i int) {
	for {
		least := i
		for child := 2*i + 1; child <= 2*i+2 && child < len(h); child++ {
			if h[child].at.Before(h[least].at) {
				least = child
			}
		}
		if least == i {
			return
		}
		h.swap(i, least)
		i = least
	}
}

func (h timerHeap) swap(i, j int) {
	h[i], h[j] = h[j], h[i]
	h[i].index, h[j].index = i, j
}
