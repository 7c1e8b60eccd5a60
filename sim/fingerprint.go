package sim

import (
	"encoding/binary"
	"hash/fnv"
	"time"

	"github.com/plimsoll-go/plimsoll/stats"
)

// Fingerprint is a hash of everything that the report says. Two runs of one
// scenario and seed have the same one, on every platform.
func (r *Report) Fingerprint() uint64 {
	h := fnv.New64a()
	add := func(values ...uint64) {
		for _, v := range values {
			h.Write(binary.LittleEndian.AppendUint64(nil, v)) // never fails
		}
	}
	durations := func(values ...time.Duration) {
		for _, v := range values {
			add(uint64(v))
		}
	}
	histogram := func(s *stats.Histogram) {
		add(uint64(s.Sum()))
		for i := range stats.Buckets {
			add(s.At(i))
		}
	}
	add(r.Seed, r.Events)
	durations(r.End, r.Bucket)
	tally := func(t *Tally) {
		add(t.Offered, t.Good, t.Lost, t.Open, t.Attempts, t.Late, t.GaveUp, t.Failed)
		add(t.Refused[:]...)
		durations(t.Worked, t.Wasted, t.Refusing)
		histogram(&t.Waits)
		histogram(&t.Latencies)
	}
	for i := range r.Kinds {
		tally(&r.Kinds[i].Tally)
	}
	for i := range r.Calls {
		tally(&r.Calls[i].Tally)
	}
	for _, p := range r.Series {
		add(p.Offered, p.Attempts, p.Good, p.Late, p.Refused, p.Failed, p.Done, p.Started, uint64(p.Waited))
	}
	for _, s := range r.Stations {
		add(s.Arrived, uint64(s.Sojourn), s.Restarts, uint64(s.MostUsed))
		for _, l := range s.Series {
			add(uint64(l.Limit), uint64(l.InFlight), uint64(l.Depth))
		}
	}
	return h.Sum64()
}
