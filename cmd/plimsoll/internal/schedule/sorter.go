package schedule

import (
	"container/heap"
	"time"

	"github.com/plimsoll-go/plimsoll/sim"
)

// sorter brings records in the order of their times, those of the same time in
// that in which they came.
type sorter struct {
	heap records
	n    int // have been put in
}

func (s *sorter) put(r sim.Record) {
	s.n++
	heap.Push(&s.heap, numbered{r, s.n})
}

// ready says whether there is one of a time or before.
func (s *sorter) ready(t time.Duration) bool { return len(s.heap) > 0 && s.heap[0].At <= t }

func (s *sorter) take() sim.Record { return heap.Pop(&s.heap).(numbered).Record }

type numbered struct {
	sim.Record
	n int
}

// records implements [heap.Interface].
type records []numbered

func (r records) Len() int      { return len(r) }
func (r records) Swap(i, j int) { r[i], r[j] = r[j], r[i] }
func (r *records) Push(one any) { *r = append(*r, one.(numbered)) }

func (r records) Less(i, j int) bool {
	return r[i].At < r[j].At || r[i].At == r[j].At && r[i].n < r[j].n
}

func (r *records) Pop() any {
	n := len(*r) - 1
	last := (*r)[n]
	(*r)[n] = numbered{}
	*r = (*r)[:n]
	return last
}
