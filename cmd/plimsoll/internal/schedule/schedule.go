package schedule

import (
	"iter"
	"math"
	"math/rand/v2"
	"time"
)

// Bounds of a schedule.
const (
	MaxRate   = 1e6                // requests a second
	MaxLength = 7 * 24 * time.Hour // of a run
	MaxSteps  = 1000               // of a step schedule
	// DefaultLength is that of a schedule whose text has no end and that is
	// given none.
	DefaultLength = 30 * time.Second
)

// Schedule is when requests are due. It never changes, but for Err; apart from
// that it may be used concurrently. [Parse] and [Replay] make one.
type Schedule struct {
	shape    shape
	curve    curve // the same; nil: it is a trace
	arrivals arrivals
	length   time.Duration
	trace    *replay // nil: it is none
}

// shape is a rate over time, from the start of the run on. Rates are per second.
type shape interface {
	rate(t time.Duration) float64
	// total is how many have arrived before t, in the mean.
	total(t time.Duration) float64
	// peak is the end of the last peak of a run of a length.
	peak(length time.Duration) (time.Duration, bool)
	// words describes it for so long.
	words(length time.Duration) string
}

// curve is a shape that arrivals are made of.
type curve interface {
	shape
	// when is the last time at which no more than n have arrived, in the mean,
	// where that is reached.
	when(n float64) time.Duration
}

// made is a schedule in which something arrives, or its fault.
func made(c curve, arrivals arrivals, length time.Duration) (*Schedule, error) {
	s := &Schedule{shape: c, curve: c, arrivals: arrivals, length: length}
	if n := s.Expected(); n < 1 {
		var f faults
		f.want("rate", "want a rate at which at least one request is due within %v, have %.3g", s.length, n)
		return nil, f.all.Err()
	}
	return s, nil
}

// Length is how long requests are due: each of them is so before.
func (s *Schedule) Length() time.Duration { return s.length }

// Expected is how many requests are due in the mean: of evenly spaced arrivals
// it is their number but for rounding up, and of a trace exactly.
func (s *Schedule) Expected() float64 { return s.shape.total(s.length) }

// At is the rate per second at a time from the start; 0 before it and from its
// end on.
func (s *Schedule) At(t time.Duration) float64 {
	if t < 0 || t >= s.length {
		return 0
	}
	return s.shape.rate(t)
}

// LastPeak is when the last overload is over, as far as a schedule can tell: the
// recovery of a service counts from there. A peak is where the rate is in the
// upper half of what it comes to in the run; it ends where the rate has come
// down, at the foot of the slope if there is one. False: there is no such end,
// the rate falls by less than a fifth, it is up again at the end of the run, or
// nobody is due after the peak. A sine and a trace have none.
func (s *Schedule) LastPeak() (end time.Duration, ok bool) {
	end, ok = s.shape.peak(s.length)
	if !ok || s.shape.total(s.length)-s.shape.total(end) < 1 {
		return 0, false
	}
	return end, true
}

// String is the schedule in words.
func (s *Schedule) String() string {
	if s.trace != nil {
		return s.shape.words(s.length)
	}
	return s.shape.words(s.length) + ", " + s.arrivals.words()
}

// Err is why the last sequence of Times ended early: a trace could not be read
// to its end. Nil: it did not. It is to be asked after that, by the same
// goroutine.
func (s *Schedule) Err() error {
	if s.trace == nil {
		return nil
	}
	return s.trace.err
}

// Times yields the arrivals one by one, in the order in which they are due. It
// is the same sequence for the same schedule and seed, however often it is
// asked for. Only Poisson arrivals depend on the seed.
func (s *Schedule) Times(seed uint64) iter.Seq[Arrival] {
	switch {
	case s.trace != nil:
		return s.trace.times
	case s.arrivals == even:
		return s.even
	}
	return func(yield func(Arrival) bool) { s.poisson(seed, yield) }
}

func (s *Schedule) even(yield func(Arrival) bool) {
	total := s.Expected()
	total -= slack(total)
	last := time.Duration(0)
	for n := 0.0; n < total; n++ {
		last = s.due(n, last)
		if !yield(Arrival{Due: last}) {
			return
		}
	}
}

func (s *Schedule) poisson(seed uint64, yield func(Arrival) bool) {
	r := rand.New(rand.NewPCG(seed, arrivalStream))
	total, last := s.Expected(), time.Duration(0)
	for n := r.ExpFloat64(); n < total; n += r.ExpFloat64() {
		last = s.due(n, last)
		if !yield(Arrival{Due: last}) {
			return
		}
	}
}

// arrivalStream keeps the draws of arrivals apart from others of the same seed.
const arrivalStream = 0x6172726976616c73

// due is when the sum of the rate reaches n, within the run.
func (s *Schedule) due(n float64, last time.Duration) time.Duration {
	return max(last, min(s.curve.when(n), s.length-1))
}

// slack is by how much a sum of rates may be off by rounding. Without it, an
// arrival that belongs to the beginning of a piece would come at the end of the
// one before, after a time without any, and 5,000 might be 5,001.
func slack(n float64) float64 { return 1e-9 + 1e-14*n }

// nanoseconds rounds seconds to a time of 0 or more.
func nanoseconds(seconds float64) time.Duration {
	return time.Duration(math.Round(max(seconds, 0) * 1e9))
}
