package sim

import (
	"errors"
	"time"
)

// book holds a station to Little's law: the mean number inside is the rate of
// arrivals times the mean time inside, L = lambda W (Little, Operations
// Research 9(3), 1961). Over a run whose last guests are counted up to its end
// this is an identity, so that it has to hold to the nanosecond: the area under
// the number inside, kept step by step, equals the sum of the stays, each taken
// from its own guest. Sums are modulo 2^64, which the comparison does not mind.
type book struct {
	inside  uint64
	last    time.Duration // when the number inside last changed
	area    uint64        // number inside x time
	arrived uint64
	stays   uint64 // of those that have left
	entries uint64 // times of entry of all that have entered
	exited  uint64 // times of entry of those that have left, by their own account
}

func (b *book) advance(now time.Duration) {
	b.area += b.inside * uint64(now-b.last)
	b.last = now
}

func (b *book) enter(now time.Duration) {
	b.advance(now)
	b.inside++
	b.arrived++
	b.entries += uint64(now)
}

func (b *book) exit(now time.Duration, c *call) {
	b.advance(now)
	b.inside--
	b.stays += uint64(now - c.sent)
	b.exited += uint64(c.sent)
}

// total is the sum of all stays up to now.
func (b *book) total(now time.Duration) uint64 {
	return b.stays + b.inside*uint64(now) - (b.entries - b.exited)
}

func (b *book) check(now time.Duration) error {
	// Once all have left, their own times of entry are those that were noted.
	if b.area != b.total(now) || b.inside == 0 && b.entries != b.exited {
		return errors.New("the law of Little does not hold: somebody was lost or counted twice")
	}
	return nil
}

// means are L, the number of arrivals and W.
func (b *book) means(now time.Duration) (inSystem float64, arrived uint64, sojourn time.Duration) {
	if now > 0 {
		inSystem = float64(b.area) / float64(now)
	}
	if b.arrived > 0 {
		sojourn = time.Duration(b.total(now) / b.arrived)
	}
	return inSystem, b.arrived, sojourn
}
