package queue

import "time"

// A heapKind says which of the heaps that an item can be in is meant.
type heapKind uint8

const (
	byLeave heapKind = iota // the queue's, of those that leave by themselves
	byKey                   // its flow's, under an order that goes by a key
	byWork                  // its level's, under DropLargest
	heaps
)

// minHeap is the capacity below which a heap does not shrink.
const minHeap = 16

// heap is a binary heap of items by (time, arrival): equal times keep arrival
// order. Keys stand beside the pointers so that sifting touches no item but
// the one whose index changes. The zero value is empty.
type heap struct{ e []entry }

type entry struct {
	at  time.Duration
	seq uint64
	it  *Item
}

func (a *entry) before(b *entry) bool {
	return a.at < b.at || a.at == b.at && a.seq < b.seq
}

func (h *heap) add(k heapKind, at time.Duration, it *Item) {
	h.e = append(h.e, entry{})
	h.up(k, len(h.e)-1, entry{at, it.seq, it})
}

// remove takes it out of the heap, and gives memory back once less than a
// quarter is in use.
func (h *heap) remove(k heapKind, it *Item) {
	i, last := int(it.at[k])-1, len(h.e)-1
	it.at[k] = 0
	moved := h.e[last]
	h.e[last] = entry{}
	h.e = h.e[:last]
	if i != last {
		if i > 0 && moved.before(&h.e[(i-1)/2]) {
			h.up(k, i, moved)
		} else {
			h.down(k, i, moved)
		}
	}
	if c := cap(h.e); c > minHeap && last < c/4 {
		h.e = append(make([]entry, 0, c/2), h.e...)
	}
}

// up puts x where it belongs on the way from the free index i to the root.
func (h *heap) up(k heapKind, i int, x entry) {
	for i > 0 {
		parent := (i - 1) / 2
		if !x.before(&h.e[parent]) {
			break
		}
		h.set(k, i, h.e[parent])
		i = parent
	}
	h.set(k, i, x)
}

// down puts x where it belongs on the way from the free index i to a leaf.
func (h *heap) down(k heapKind, i int, x entry) {
	for {
		child := 2*i + 1
		if child >= len(h.e) {
			break
		}
		if child+1 < len(h.e) && h.e[child+1].before(&h.e[child]) {
			child++
		}
		if !h.e[child].before(&x) {
			break
		}
		h.set(k, i, h.e[child])
		i = child
	}
	h.set(k, i, x)
}

func (h *heap) set(k heapKind, i int, x entry) {
	h.e[i] = x
	x.it.at[k] = int32(i + 1)
}
