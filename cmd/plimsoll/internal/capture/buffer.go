package capture

import (
	"sync"
	"time"

	"github.com/plimsoll-go/plimsoll/class"
)

// places are those of a buffer, a power of two: three seconds at 20,000 requests
// a second, in 4 MiB.
const places = 1 << 16

// hold is how long a request that has not ended keeps those behind it from being
// written. After that it is written without its service time.
const hold = 10 * time.Second

// entry is a request in the buffer.
type entry struct {
	at          time.Duration // since the capture began
	served      time.Duration // 0: not known
	asked       time.Duration // 0: its caller did not say
	cost        int64
	tenant      uint64 // pseudonym; 0: nobody's
	kind        string
	criticality class.Criticality
	level       class.Level
	ended       bool
}

// buffer is a ring of requests in the order of their arrival. Who arrives is
// timed under its lock, so that this is the order of their times too.
type buffer struct {
	began time.Time

	mu      sync.Mutex
	entries []entry
	head    uint64 // the number of the first
	tail    uint64 // and of the next
	closed  bool
}

// full is how many requests are too many for those that have not ended to be
// waited for.
func (b *buffer) full() uint64 { return uint64(len(b.entries)) / 4 * 3 }

// put takes a place and returns its number from 1, and whether it is time to
// write. 0: there is none.
func (b *buffer) put(e entry) (mark uint64, pressing bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	n := b.tail - b.head
	if n == uint64(len(b.entries)) || b.closed {
		return 0, false
	}
	e.at = time.Since(b.began)
	b.entries[b.tail%uint64(len(b.entries))] = e
	b.tail++
	n++
	quarter := uint64(len(b.entries)) / 4
	return b.tail, n >= 2*quarter && n%(quarter/8) == 0
}

// end says how long a request was served. One that has been written is over.
func (b *buffer) end(mark uint64, served time.Duration) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if n := mark - 1; n >= b.head && n < b.tail {
		e := &b.entries[n%uint64(len(b.entries))]
		e.served, e.ended = served, true
	}
}

// take moves those that are to be written now into to, and returns how many
// they are. All: whether they have ended or not.
func (b *buffer) take(to []entry, all bool) (n int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	old := time.Since(b.began) - hold
	for n < len(to) && b.head < b.tail {
		e := &b.entries[b.head%uint64(len(b.entries))]
		if !e.ended && e.at > old && !all && b.tail-b.head <= b.full() {
			break
		}
		to[n] = *e
		*e = entry{}
		b.head++
		n++
	}
	return n
}

// close gives no further places.
func (b *buffer) close() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.closed = true
}

// free gives back the memory of one that is closed and has nothing left in it.
func (b *buffer) free() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.entries = nil
}
