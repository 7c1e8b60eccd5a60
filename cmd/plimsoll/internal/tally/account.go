package tally

import (
	"sync"
	"time"

	hdr "github.com/HdrHistogram/hdrhistogram-go"

	"github.com/plimsoll-go/plimsoll/cmd/plimsoll/internal/openloop"
)

// account is what is counted of one class. Classes share nothing, so that a
// lock is waited for by requests of the same class only.
type account struct {
	mu sync.Mutex
	counts
	latency, service, slip, turned *spread

	rows      []row
	latencies []*hdr.PackedHistogram // by row of due; nil: nobody
	compacted int                    // rows before it are as small as they get
	quanta    []openloop.Due
	recent    [2]recent // of the last two seconds, by when requests ended
}

// counts are the totals of a class.
type counts struct {
	offered, good, late   int64
	skipped               reasons
	refused, failed       reasons
	attempts              [openloop.Outcomes]int64
	attemptRefused, erred reasons
}

// row is what happened within one step.
type row struct {
	offered, skipped, good, late, refused, failed uint32 // by due
	answered, attempts, done                      uint32 // by when they ended
}

// recent is how long requests took that ended within one second.
type recent struct {
	second int
	took   *hdr.Histogram
}

func newAccount(g grid) *account {
	a := &account{
		counts:  newCounts(),
		latency: newSpread(), service: newSpread(), slip: newSpread(), turned: newSpread(),
		rows: make([]row, g.rows, g.rows+maxTail), latencies: make([]*hdr.PackedHistogram, g.rows),
		quanta: make([]openloop.Due, g.quanta()),
	}
	for i := range a.recent {
		a.recent[i] = recent{second: -1, took: newRecent()}
	}
	return a
}

// maxTail is for how many rows after the last due one there is room at once.
const maxTail = 64

func newCounts() counts {
	return counts{skipped: reasons{}, refused: reasons{}, failed: reasons{}, attemptRefused: reasons{}, erred: reasons{}}
}

// happened is the row of something that ended, however long after the last
// request was due.
func (a *account) happened(i int) *row {
	for len(a.rows) <= i {
		a.rows = append(a.rows, row{})
	}
	return &a.rows[i]
}

// took notes how long a request of a row took, and for how long one took that
// ended just now.
func (a *account) took(i int, second int, d time.Duration) {
	ns := within(d)
	if a.latencies[i] == nil {
		a.latencies[i] = newRow()
	}
	_ = a.latencies[i].RecordValue(ns)
	r := &a.recent[max(second, 0)%len(a.recent)]
	if r.second != second {
		r.second = second
		r.took.Reset()
	}
	_ = r.took.RecordValue(ns)
}

// compact gives back what the rows before i hold beyond what they need.
func (a *account) compact(i int) {
	for ; a.compacted < min(i, len(a.latencies)); a.compacted++ {
		if h := a.latencies[a.compacted]; h != nil {
			h.Compact()
		}
	}
}

func (c *counts) ended() int64 { return c.good + c.late + c.refused.total() + c.failed.total() }

func (c *counts) open() int64 { return c.offered - c.skipped.total() - c.ended() }

func (c *counts) merge(from *counts) {
	c.offered += from.offered
	c.good += from.good
	c.late += from.late
	c.skipped.merge(from.skipped)
	c.refused.merge(from.refused)
	c.failed.merge(from.failed)
	c.attemptRefused.merge(from.attemptRefused)
	c.erred.merge(from.erred)
	for i, n := range from.attempts {
		c.attempts[i] += n
	}
}
