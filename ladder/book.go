package ladder

import (
	"fmt"
	"math"
	"sync"
	"time"
)

// Book counts what [Do] does, by tier. Make one with [NewBook]; a gate with a
// ladder has one. It may be used concurrently.
type Book struct {
	pages []*page
	fail  func(tier string, failing bool)
}

// page is what a book knows of one tier.
type page struct {
	name string
	full error // what is said to those above the bound

	mu      sync.Mutex
	most    int // cheaper ways at once; 0: no bound
	running int // cheaper ways
	turned  uint64
	ways    [2]Way // the full one, the cheaper one
	recent  [2]recent
	failing bool
}

// Way is what became of one of the two ways of a tier. A caller who left before
// its end is not counted.
type Way struct {
	Calls  uint64
	Failed uint64        // of Calls
	Time   time.Duration // that Calls took in all
}

// Mean is how long one call took; 0: there was none.
func (w Way) Mean() time.Duration {
	if w.Calls == 0 {
		return 0
	}
	return w.Time / time.Duration(w.Calls)
}

// Entry is what a [Book] says of one tier. Counters only grow.
type Entry struct {
	Name    string
	Full    Way
	Cheaper Way
	Turned  uint64 // cheaper ways that were not taken, with [ErrFull]
	Running int    // cheaper ways that run now
	Failing bool   // the cheaper way fails more often than the full one
}

// Saving is what the tier saves of a call's time on the mean, below zero where
// the cheaper way is none. False: one of the ways has not been taken yet.
func (e Entry) Saving() (time.Duration, bool) {
	return e.Full.Mean() - e.Cheaper.Mean(), e.Full.Calls > 0 && e.Cheaper.Calls > 0
}

// NewBook returns an empty book of the tiers of c. Fail is told when a tier's
// cheaper way begins to fail more often than its full way, and when it no longer
// does; nil: nobody is. It is called without a lock, by the goroutine that found
// out.
func NewBook(c Config, fail func(tier string, failing bool)) *Book {
	return (*Book)(nil).Follow(c, fail)
}

// Follow returns a book of the tiers of c which goes on with those that b has by
// the same name, for a ladder that is configured anew.
func (b *Book) Follow(c Config, fail func(tier string, failing bool)) *Book {
	n := &Book{fail: fail}
	for _, t := range c.Tiers {
		p := b.page(t.Name)
		if p == nil {
			p = &page{name: t.Name, full: fmt.Errorf("ladder: %s: %w", t.Name, ErrFull)}
		}
		p.mu.Lock()
		p.most = t.Fallbacks
		p.mu.Unlock()
		n.pages = append(n.pages, p)
	}
	return n
}

func (b *Book) page(name string) *page {
	if b == nil {
		return nil
	}
	for _, p := range b.pages {
		if p.name == name {
			return p
		}
	}
	return nil
}

// Entries returns what the book says of every tier, in order.
func (b *Book) Entries() []Entry {
	all := make([]Entry, len(b.pages))
	for i, p := range b.pages {
		all[i] = p.entry()
	}
	return all
}

func (p *page) entry() Entry {
	p.mu.Lock()
	defer p.mu.Unlock()
	return Entry{
		Name: p.name, Full: p.ways[0], Cheaper: p.ways[1],
		Turned: p.turned, Running: p.running, Failing: p.failing,
	}
}

// Forget has the tier of that name, if there is one, prove itself anew: from now
// on it is not known to fail.
func (b *Book) Forget(name string) {
	p := b.page(name)
	if p == nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.recent[1], p.failing = recent{}, false
}

// enter takes a place of the cheaper ways.
func (p *page) enter() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.most > 0 && p.running >= p.most {
		p.turned++
		return false
	}
	p.running++
	return true
}

type verdict uint8

const (
	good verdict = iota
	bad
	left
)

// end counts a way that has ended, and says so when that changes what is thought
// of the tier.
func (b *Book) end(p *page, cheaper bool, took time.Duration, v verdict) {
	changed, failing := p.end(cheaper, took, v)
	if changed && b.fail != nil {
		b.fail(p.name, failing)
	}
}

func (p *page) end(cheaper bool, took time.Duration, v verdict) (changed, failing bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	w := 0
	if cheaper {
		w = 1
		p.running--
	}
	if v == left {
		return false, p.failing
	}
	p.ways[w].Calls++
	p.ways[w].Time += took
	if v == bad {
		p.ways[w].Failed++
	}
	p.recent[w].add(v == bad)
	full, now := p.recent[0], p.recent[1]
	switch {
	case now.calls < enough:
	case !p.failing && now.worse(full, 3):
		p.failing, changed = true, true
		p.recent[1] = recent{}
	case p.failing: // every few calls are another chance to prove itself
		p.failing = now.worse(full, 1)
		changed = !p.failing
		p.recent[1] = recent{}
	}
	return changed, p.failing
}

// recent is the last few calls of a way.
type recent struct{ calls, failed float64 }

const (
	// enough is how many calls say anything of the cheaper way.
	enough = 20
	// recentCalls is how many calls count at most; older ones fade.
	recentCalls = 500
)

func (r *recent) add(failed bool) {
	if r.calls >= recentCalls {
		r.calls, r.failed = r.calls/2, r.failed/2
	}
	r.calls++
	if failed {
		r.failed++
	}
}

// worse reports whether r fails more often than o, by so many standard errors of
// the difference of two shares.
func (r recent) worse(o recent, errs float64) bool {
	o.calls = max(o.calls, 1)
	p := (r.failed + o.failed) / (r.calls + o.calls)
	se := math.Sqrt(p * (1 - p) * (1/r.calls + 1/o.calls))
	return r.failed/r.calls-o.failed/o.calls > errs*se
}
