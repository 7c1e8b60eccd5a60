package cache

import (
	"hash/maphash"
	"net/http"
	"slices"
	"sync"
	"time"
)

// store holds entries by key within its bounds. What has not been used since
// the hand last passed goes first: SIEVE (Zhang et al., "SIEVE is Simpler than
// LRU", NSDI 2024), over keys, whose variants go together.
type store struct {
	limits Config
	seed   maphash.Seed

	mu      sync.Mutex
	records map[string]*record
	newest  *record
	oldest  *record
	hand    *record
	entries int
	bytes   int64
	evicted uint64

	// epochs count the invalidations of keys, several keys to a counter: what
	// was asked for before one is not stored after it.
	epochs [256]uint32
}

// record is what is known of a key.
type record struct {
	key      string
	variants []*entry // newest first
	pass     time.Time
	refresh  time.Time
	used     bool

	newer, older *record
}

// found is what the store knows when a request comes.
type found struct {
	entry *entry   // nil: none is selected
	vary  []string // what answers under this key vary with, as far as is known
	any   bool     // there are others
	pass  bool     // until recently its answers could not be shared
	epoch uint32
}

func newStore(c Config) *store {
	return &store{limits: c, seed: maphash.MakeSeed(), records: map[string]*record{}}
}

// configure puts other bounds in force.
func (s *store) configure(c Config) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.limits = c
	for _, r := range s.records {
		s.countLocked(r, -1)
		before := len(r.variants)
		tooLong := func(e *entry) bool { return e.size+recordCost(r.key) > c.ObjectBytes }
		r.variants = slices.DeleteFunc(slices.Clone(r.variants), tooLong)
		r.variants = r.variants[:min(len(r.variants), c.Variants)]
		s.evicted += uint64(before - len(r.variants))
		s.countLocked(r, 1)
	}
	s.boundLocked(nil)
}

func (s *store) epochLocked(key string) *uint32 {
	return &s.epochs[maphash.String(s.seed, key)%uint64(len(s.epochs))]
}

// find looks a request up.
func (s *store) find(key string, h http.Header, now time.Time) found {
	s.mu.Lock()
	defer s.mu.Unlock()
	f := found{epoch: *s.epochLocked(key)}
	r := s.records[key]
	if r == nil {
		return f
	}
	r.used = true
	f.pass, f.any = now.Before(r.pass), len(r.variants) > 0
	for _, e := range r.variants {
		if f.vary == nil {
			f.vary = e.vary
		}
		if e.selected(h) {
			f.entry = e
			break
		}
	}
	return f
}

// put stores an entry that was asked for in an epoch of its key, in the place of
// the variant that it is. It reports whether it did: not if something has
// been invalidated since, or what is there was asked for later.
func (s *store) put(key string, e *entry, epoch uint32) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if e.size = e.cost(); *s.epochLocked(key) != epoch || e.size+recordCost(key) > s.limits.ObjectBytes {
		return false
	}
	r := s.records[key]
	kept := []*entry{e}
	if r != nil {
		for _, other := range r.variants {
			switch {
			case other.varies == e.varies && sameNames(other.vary, e.vary):
				if other.asked.After(e.asked) {
					return false
				}
			case len(kept) < s.limits.Variants:
				kept = append(kept, other)
			}
		}
	}
	r = s.recordLocked(key)
	s.countLocked(r, -1)
	r.variants, r.pass, r.refresh = kept, time.Time{}, time.Time{}
	s.countLocked(r, 1)
	s.boundLocked(r)
	return true
}

func sameNames(a, b []string) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if a[i] != b[i] {
			return false
		}
	}
	return true
}

// recordCost is what a key counts for beside its entries.
func recordCost(key string) int64 { return overhead + int64(len(key)) }

// countLocked adds a record to the counts, or takes it off them. One without
// entries counts as one.
func (s *store) countLocked(r *record, sign int64) {
	size := recordCost(r.key)
	for _, e := range r.variants {
		size += e.size
	}
	s.bytes += sign * size
	s.entries += int(sign) * max(1, len(r.variants))
}

// recordLocked is the record of a key, which it makes if there is none.
func (s *store) recordLocked(key string) *record {
	r := s.records[key]
	if r != nil {
		return r
	}
	r = &record{key: key, older: s.newest}
	if s.newest != nil {
		s.newest.newer = r
	} else {
		s.oldest = r
	}
	s.newest = r
	s.records[key] = r
	s.countLocked(r, 1)
	return r
}

func (s *store) removeLocked(r *record) {
	s.countLocked(r, -1)
	delete(s.records, r.key)
	if s.hand == r {
		s.hand = r.newer
	}
	if r.newer != nil {
		r.newer.older = r.older
	} else {
		s.newest = r.older
	}
	if r.older != nil {
		r.older.newer = r.newer
	} else {
		s.oldest = r.newer
	}
}

// boundLocked evicts until the bounds hold, and spares what has just come as
// long as there is anything else; then its oldest variants go.
func (s *store) boundLocked(spare *record) {
	for s.bytes > s.limits.Bytes || s.entries > s.limits.Entries {
		r := s.hand
		if r == nil {
			r = s.oldest
		}
		switch {
		case r == spare && len(s.records) == 1:
			s.countLocked(r, -1)
			r.variants = r.variants[:max(0, len(r.variants)-1)]
			s.countLocked(r, 1)
			if len(r.variants) == 0 {
				s.removeLocked(r)
			}
			s.evicted++
		case r == spare || r.used:
			r.used = false
			s.hand = r.newer
		default:
			s.hand = r.newer
			s.evicted += uint64(len(r.variants))
			s.removeLocked(r)
		}
	}
}

// drop removes a key, and sees to it that nothing is stored under it that has
// already been asked for.
func (s *store) drop(key string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	*s.epochLocked(key)++
	r := s.records[key]
	if r != nil {
		s.removeLocked(r)
	}
	return r != nil
}

// purge removes everything, as drop does.
func (s *store) purge() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for i := range s.epochs {
		s.epochs[i]++
	}
	clear(s.records)
	s.newest, s.oldest, s.hand, s.entries, s.bytes = nil, nil, nil, 0, 0
}

// mark notes that the answers under a key cannot be shared, for some time:
// nobody need wait to find it out again.
func (s *store) mark(key string, until time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	r := s.recordLocked(key)
	r.pass = until
	s.boundLocked(r)
}

// mayRefresh reports whether a refresh in the background is due, and puts off
// the next until one has succeeded, or for some time.
func (s *store) mayRefresh(key string, now time.Time, pause time.Duration) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	r := s.records[key]
	if r == nil || now.Before(r.refresh) {
		return false
	}
	r.refresh = now.Add(pause)
	return true
}
