package sim

import "time"

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
	e.report.Series = append(e.report.Series, e.point)
	e.point = Point{}
	for i := range e.stations {
		st := &e.stations[i]
		l := Level{InFlight: st.busy, Depth: st.queue.n}
		if st.machine != nil {
			s := st.machine.Status(at)
			l.Limit, l.InFlight, l.Depth = s.Limit, s.InFlight, l.Depth+s.Depth
		}
		st.report.Series = append(st.report.Series, l)
	}
}
