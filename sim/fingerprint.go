package sim

import (
	"encoding/binary"
	"hash"
	"hash/fnv"
	"math"
	"time"

	"github.com/plimsoll-go/plimsoll/stats"
)

// Fingerprint is a hash of everything that the report says. Two runs of one
// scenario and seed have the same one, on every platform.
func (r *Report) Fingerprint() uint64 {
	h := digest{fnv.New64a()}
	h.numbers(r.Seed, r.Events)
	h.durations(r.Length, r.End, r.Bucket)
	h.tally(&r.Total)
	for i := range r.Kinds {
		h.tally(&r.Kinds[i].Tally)
		h.points(r.Kinds[i].Series)
	}
	for i := range r.Classes {
		h.tally(&r.Classes[i])
	}
	for i := range r.Tenants {
		h.Write([]byte(r.Tenants[i].Tenant)) // never fails
		h.counts(&r.Tenants[i].Counts)
	}
	for i := range r.Calls {
		h.tally(&r.Calls[i].Tally)
	}
	h.points(r.Series)
	for i := range r.Stations {
		h.station(&r.Stations[i])
	}
	return h.Sum64()
}

// digest is a hash to which numbers are added.
type digest struct{ hash.Hash64 }

func (h digest) numbers(values ...uint64) {
	for _, v := range values {
		h.Write(binary.LittleEndian.AppendUint64(nil, v)) // never fails
	}
}

func (h digest) durations(values ...time.Duration) {
	for _, v := range values {
		h.numbers(uint64(v))
	}
}

func (h digest) histogram(s *stats.Histogram) {
	h.durations(s.Sum())
	for i := range stats.Buckets {
		h.numbers(s.At(i))
	}
}

func (h digest) counts(c *Counts) {
	h.numbers(c.Offered, c.Good, c.Lost, c.Open, c.Attempts, c.Late, c.GaveUp, c.Failed, c.Held, c.OutOfBudget)
	h.numbers(c.Refused[:Cancelled+1]...)
	for reason, n := range c.Refused[Cancelled+1:] {
		if n > 0 { // a further reason changes nothing for who does not meet it
			h.numbers(uint64(reason), n)
		}
	}
	h.durations(c.Worked, c.Wasted, c.Refusing)
}

func (h digest) tally(t *Tally) {
	h.counts(&t.Counts)
	h.histogram(&t.Waits)
	h.histogram(&t.Latencies)
	h.durations(t.Slowest)
	for reason, d := range t.Refusals {
		if d > 0 {
			h.numbers(uint64(reason), uint64(d))
		}
	}
}

func (h digest) points(series []Point) {
	for i := range series {
		p := &series[i]
		h.numbers(p.Offered, p.Attempts, p.Good, p.Late, p.Refused, p.Failed, p.Held, p.Done, p.Started)
		h.durations(p.Waited, p.MaxWait, p.Worked, p.Wasted)
	}
}

func (h digest) station(s *StationReport) {
	h.numbers(s.Arrived, s.Restarts, uint64(s.MostUsed))
	h.durations(s.Sojourn)
	for i := range s.Series {
		l := &s.Series[i]
		h.numbers(uint64(l.Limit), uint64(l.InFlight), uint64(l.Depth))
		h.numbers(l.Refusals[:]...)
		if l.Used > 0 {
			h.numbers(uint64(l.Used))
		}
	}
	for _, t := range s.Transitions {
		h.durations(t.At, t.Above)
		h.numbers(uint64(t.Tier), uint64(t.Cause), math.Float64bits(t.Signal))
	}
}
