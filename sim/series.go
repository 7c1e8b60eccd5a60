package sim

import (
	"time"

	"github.com/plimsoll-go/plimsoll/class"
)

// Point is what happened within a bucket.
type Point struct {
	Offered, Attempts, Good, Late, Refused, Failed, Held uint64 // as in [Counts]

	// Those of calls as well:

	Done    uint64        // jobs that workers ended: throughput
	Started uint64        // jobs that workers began
	Waited  time.Duration // by those, together
	MaxWait time.Duration // by the one of them that waited longest
	Worked  time.Duration // by workers, on jobs that have ended
	Wasted  time.Duration // on what was answered late or failed, its calls included
}

// MeanWait is how long those waited that a worker began within the bucket.
func (p Point) MeanWait() time.Duration {
	if p.Started == 0 {
		return 0
	}
	return p.Waited / time.Duration(p.Started)
}

// Add adds what happened in another bucket.
func (p *Point) Add(o Point) {
	p.Offered += o.Offered
	p.Attempts += o.Attempts
	p.Good += o.Good
	p.Late += o.Late
	p.Refused += o.Refused
	p.Failed += o.Failed
	p.Held += o.Held
	p.Done += o.Done
	p.Started += o.Started
	p.Waited += o.Waited
	p.MaxWait = max(p.MaxWait, o.MaxWait)
	p.Worked += o.Worked
	p.Wasted += o.Wasted
}

// Level is a station at the end of a bucket.
type Level struct {
	Limit    int // the gate's; 0: no gate
	InFlight int // admitted and not done, or with a worker
	Depth    int // waiting, for the gate or for a worker

	// Used is the bytes of its [Memory] that all who are inside hold.
	Used int64

	// Refusals is what the gate refused within the bucket, by the criticality
	// it was told, each at its own index, as in [Report.Classes].
	Refusals [class.Count + 1]uint64
}

// Sum adds up the points of buckets that begin in the half-open interval.
func (r *Report) Sum(from, to time.Duration) Point {
	var p Point
	for i := range r.Series {
		if at := time.Duration(i) * r.Bucket; at >= from && at < to {
			p.Add(r.Series[i])
		}
	}
	return p
}

// roll ends the buckets that end at or before a time at which something is to
// happen.
func (e *engine) roll(at time.Duration) {
	for e.boundary <= at {
		e.sample(e.boundary)
		e.boundary += e.report.Bucket
	}
}

// sample ends a bucket.
func (e *engine) sample(at time.Duration) {
	e.report.Series = append(e.report.Series, e.points())
	for i := range e.sources {
		for j := range e.sources[i].kinds {
			k := &e.sources[i].kinds[j]
			if !e.alone() {
				if k.series == nil {
					k.series = make([]Point, 0, e.buckets())
				}
				k.series = append(k.series, k.bucket)
			}
			k.bucket = Point{}
		}
	}
	for i := range e.stations {
		st := &e.stations[i]
		l := Level{InFlight: st.busy, Depth: st.queue.n, Refusals: st.refused, Used: st.used}
		if st.machine != nil {
			s := st.machine.Status(at)
			l.Limit, l.InFlight, l.Depth = s.Limit, s.InFlight, l.Depth+s.Depth
		}
		if st.admitter != nil {
			l.Limit, l.InFlight, l.Depth = st.admitter.Limit(), st.inFlight, l.Depth+st.waiting.n
		}
		st.refused = [class.Count + 1]uint64{}
		st.report.Series = append(st.report.Series, l)
	}
}

// buckets is how many buckets there will be, to all appearances: a series that
// grows leaves twice as much behind as it is in the end.
func (e *engine) buckets() int {
	return int(min(e.s.Length/e.report.Bucket+2, 1<<17))
}

// points is what has happened in the bucket that is running.
func (e *engine) points() Point {
	var all Point
	for i := range e.sources {
		for j := range e.sources[i].kinds {
			all.Add(e.sources[i].kinds[j].bucket)
		}
	}
	return all
}

// alone reports whether there is one kind in all, whose series is then that of
// the report.
func (e *engine) alone() bool { return len(e.sources) == 1 && len(e.sources[0].kinds) == 1 }

// began counts a job that a worker has begun after it waited.
func (p *Point) began(waited time.Duration) {
	p.Started++
	p.Waited += waited
	p.MaxWait = max(p.MaxWait, waited)
}
