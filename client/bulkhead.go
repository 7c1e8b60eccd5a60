package client

import "github.com/plimsoll-go/plimsoll/class"

// bulkhead bounds what is in flight, together and for each criticality. 0 is no
// bound.
type bulkhead struct {
	most   int
	mostOf [class.Count]int
	all    int
	of     [class.Count]int
}

func (b *bulkhead) enter(lane int) bool {
	if b.most > 0 && b.all >= b.most || b.mostOf[lane] > 0 && b.of[lane] >= b.mostOf[lane] {
		return false
	}
	b.all++
	b.of[lane]++
	return true
}

func (b *bulkhead) leave(lane int) {
	b.all--
	b.of[lane]--
}
