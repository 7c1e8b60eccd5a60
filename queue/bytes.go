package queue

import "math/bits"

const (
	// MaxItemBytes is the largest number of bytes that is told apart from
	// larger ones.
	MaxItemBytes = 1 << 40

	// MaxYield is how many waiters give their places up to one arrival at
	// most, where it takes several because it holds more bytes than they do.
	MaxYield = 64
)

// bytes is Bytes within its bounds.
func (it *Item) bytes() int64 { return min(max(it.Bytes, 0), MaxItemBytes) }

// Bytes returns how much those who wait hold.
func (q *Queue) Bytes() int64 { return q.bytes }

// fits reports whether it is within the bound of bytes, once v, if not nil,
// has left.
func (q *Queue) fits(it, v *Item) bool {
	if q.cfg.MaxBytes <= 0 {
		return true
	}
	held := q.bytes
	if v != nil {
		held -= v.size
	}
	return held <= q.cfg.MaxBytes-it.bytes()
}

// yields reports whether v may go for it: because that is enough, or because
// v is not its equal and those who come after v in that are enough, too. So
// nobody goes in vain. Equals make place one for one only.
func (q *Queue) yields(it, v *Item) bool {
	switch {
	case q.fits(it, v):
		return true
	case v.lane == it.lane && v.level == it.level:
		return false
	}
	s := sum{want: q.bytes + it.bytes() - q.cfg.MaxBytes, left: MaxYield}
	mine := int(it.lane)
	for lane := range mine {
		q.lanes[lane].sum(&s, 0, q.spare(lane), levels)
	}
	own := &q.lanes[mine]
	if !q.shared {
		own.sum(&s, 0, own.n, int(it.level))
		return s.want <= 0
	}
	// Its own lane's go first until it is within its places, then others
	// give back what they have borrowed.
	over := max(own.n-q.reserved(mine)+1, 0)
	if own.sum(&s, 0, over, int(it.level)) == over {
		for lane := mine + 1; lane < len(q.lanes); lane++ {
			q.lanes[lane].sum(&s, 0, q.spare(lane), levels)
		}
		own.sum(&s, over, own.n, int(it.level))
	}
	return s.want <= 0
}

// spare is how many of a lane others may have the places of.
func (q *Queue) spare(lane int) int {
	if !q.shared {
		return q.lanes[lane].n
	}
	return q.lanes[lane].n - q.reserved(lane)
}

// sum adds up what waiters hold until there is enough.
type sum struct {
	want int64 // bytes, still
	left int   // waiters, at most
}

// sum takes up to n waiters of the lane into s, from the lowest level up to
// below the given one, the oldest first, without those it skips. It returns how
// many it took.
func (l *lane) sum(s *sum, skip, n, below int) (took int) {
	for i, w := range l.held {
		for ; w != 0; w &= w - 1 {
			level := i*64 + bits.TrailingZeros64(w)
			if level >= below {
				return took
			}
			for it := l.level[level].head; it != nil; it = it.links[byLevel].next {
				if took >= n || s.left <= 0 || s.want <= 0 {
					return took
				}
				if skip > 0 {
					skip--
					continue
				}
				s.want -= it.size
				s.left--
				took++
			}
		}
	}
	return took
}
