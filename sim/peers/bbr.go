package peers

import (
	"time"

	"github.com/plimsoll-go/plimsoll/sim"
)

// The constants of the limiter of github.com/go-kratos/aegis: a processor load
// of 80 %, smoothed by 0.95 every quarter of a second; ten seconds in a hundred
// buckets; and a second of going on after the load has fallen.
const (
	bbrLoad   = 0.8
	bbrDecay  = 0.95
	bbrLook   = 250 * time.Millisecond
	bbrBucket = 100 * time.Millisecond
	bbrCount  = 100
	bbrCool   = time.Second
)

// BBR is the limiter of the family that a processor's load switches on
// (go-kratos, go-zero): while the load is high, what is in flight may not exceed
// the most that passed in a bucket times the least mean latency of a bucket.
// The load it gets here is ideal: the share of workers that are busy.
type BBR struct {
	plain
	load    float64
	worked  float64       // worker time since the last look
	last    time.Duration // that it is summed up to
	looked  time.Duration
	busy    int
	buckets [bbrCount]bucket
	dropped time.Duration // the last time
	cooling bool
}

// bucket is what ended within a tenth of a second.
type bucket struct {
	number int64
	passed int
	took   time.Duration
}

// NewBBR returns one that has seen nothing.
func NewBBR() *BBR { return &BBR{} }

// Arrive implements [sim.Admitter].
func (b *BBR) Arrive(v sim.View, _ sim.Request) sim.Admission {
	b.look(v)
	most := b.most(v.Now)
	full := v.InFlight > 1 && most > 0 && v.InFlight > most
	if b.load < bbrLoad {
		if !b.cooling {
			return sim.Admit
		}
		if v.Now-b.dropped > bbrCool {
			b.cooling = false
			return sim.Admit
		}
		return admitIf(!full)
	}
	if full {
		b.dropped, b.cooling = v.Now, true
	}
	return admitIf(!full)
}

// Begin implements [sim.Admitter].
func (b *BBR) Begin(v sim.View, _ sim.Request, _ time.Duration) bool {
	b.look(v)
	return true
}

// End implements [sim.Admitter].
func (b *BBR) End(v sim.View, _ sim.Request, s sim.Served) {
	b.look(v)
	n := int64(v.Now / bbrBucket)
	k := &b.buckets[n%bbrCount]
	if k.number != n {
		*k = bucket{number: n}
	}
	k.passed++
	k.took += v.Now - s.Admitted
}

// look sums the load up.
func (b *BBR) look(v sim.View) {
	for v.Now-b.looked >= bbrLook {
		end := b.looked + bbrLook
		b.worked += float64(float64(b.busy) * float64(end-b.last))
		share := b.worked / float64(float64(max(v.Workers, 1))*float64(bbrLook))
		b.load = float64(b.load*bbrDecay) + float64(min(share, 1)*(1-bbrDecay))
		b.worked, b.last, b.looked = 0, end, end
	}
	b.worked += float64(float64(b.busy) * float64(v.Now-b.last))
	b.last, b.busy = v.Now, v.Busy
}

// most is how many may be in flight: the most that passed in a bucket, times
// the buckets that the least mean latency lasts. 0: nothing is known.
func (b *BBR) most(now time.Duration) int {
	current := int64(now / bbrBucket)
	passed, least := 0, time.Duration(0)
	for i := range b.buckets {
		k := &b.buckets[i]
		if k.passed == 0 || k.number == current || k.number <= current-bbrCount {
			continue
		}
		passed = max(passed, k.passed)
		if mean := k.took / time.Duration(k.passed); least == 0 || mean < least {
			least = mean
		}
	}
	return int(float64(float64(passed)*float64(least))/float64(bbrBucket) + 0.5)
}
