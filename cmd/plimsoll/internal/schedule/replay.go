package schedule

import (
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/plimsoll-go/plimsoll/sim"
	"github.com/plimsoll-go/plimsoll/sim/trace"
)

// Bounds of the speed of a replay.
const (
	minSpeed = 1e-3
	maxSpeed = 1e3
)

// maxFaults is how many faults of a trace are told one by one.
const maxFaults = 1000

// replay is a recorded trace as it is played. It reads it anew each time, and
// holds no more of it than what lies in it out of order.
type replay struct {
	name  string
	open  func() io.Reader
	speed float64

	first    time.Duration // when the earliest came
	last     time.Duration // and the latest
	disorder time.Duration // how much later the latest of those before one came than it, at most
	n        int

	err error
}

// Replay plays a recorded trace (package sim/trace) at so many times its speed.
// Its first request is due at once, however long the recorder had waited for
// it. Recorded deadlines are as they were, whatever the speed. R is read twice,
// or more often, each time in a memory of a line and of what is out of order in
// it: once here, where all that is wrong with it is found, and once by each
// sequence of Times; what is appended to it in between is no part of it. An
// error is [strict.Faults], the key speed or at a line of the trace, or the
// reader's.
func Replay(name string, r io.ReaderAt, size int64, speed float64) (*Schedule, error) {
	var f faults
	if !(speed >= minSpeed && speed <= maxSpeed) {
		f.want("speed", "want a number from %g to %g, have %g", minSpeed, maxSpeed, speed)
		speed = 1
	}
	p := &replay{name: name, speed: speed, open: func() io.Reader { return io.NewSectionReader(r, 0, size) }}
	levels, err := p.survey(&f)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	if err := f.all.Err(); err != nil {
		return nil, err
	}
	return &Schedule{shape: levels, length: p.due(p.last) + 1, trace: p}, nil
}

// survey goes through the trace once. Its error is the reader's.
func (p *replay) survey(f *faults) (*levels, error) {
	l := &levels{replay: p, width: time.Second}
	faulty, latest := 0, time.Duration(0)
	for r, err := range trace.Each(p.open()) {
		var wrong trace.Faults
		switch {
		case errors.As(err, &wrong):
			for _, w := range wrong {
				if faulty++; faulty <= maxFaults {
					f.line(p.name, w)
				}
			}
			continue
		case err != nil:
			return nil, err
		}
		if p.n == 0 {
			p.first, latest, l.begin = r.At, r.At, r.At
		}
		p.n++
		p.first, latest = min(p.first, r.At), max(latest, r.At)
		p.disorder = max(p.disorder, latest-r.At)
		l.count(r.At)
	}
	p.last = latest
	switch {
	case faulty > maxFaults:
		last := &f.all[len(f.all)-1]
		last.Want += fmt.Sprintf("; and %d faults more", faulty-maxFaults)
	case faulty == 0 && p.n == 0:
		f.file(p.name, "want at least one request")
	case float64(p.last-p.first)/p.speed > float64(MaxLength):
		f.file(p.name, "want requests within %v, have %v at %g times its speed", MaxLength, p.last-p.first, p.speed)
	}
	return l, nil
}

// due is when what came at a time is due.
func (p *replay) due(at time.Duration) time.Duration {
	return time.Duration(float64(at-p.first) / p.speed)
}

// times is what Schedule.Times of a trace yields.
func (p *replay) times(yield func(Arrival) bool) {
	p.err = nil
	n := 0
	out := func(r sim.Record) bool {
		n++
		return yield(Arrival{Due: p.due(r.At), Recorded: &r})
	}
	waiting, latest := sorter{}, time.Duration(0)
	for r, err := range trace.Each(p.open()) {
		if err != nil {
			p.err = fmt.Errorf("%s: it could be read before the run, and no longer: %w", p.name, err)
			return
		}
		waiting.put(r)
		for latest = max(latest, r.At); waiting.ready(latest - p.disorder); {
			if !out(waiting.take()) {
				return
			}
		}
	}
	for len(waiting.heap) > 0 {
		if !out(waiting.take()) {
			return
		}
	}
	if n != p.n {
		p.err = fmt.Errorf("%s: it had %d requests before the run, and has %d now", p.name, p.n, n)
	}
}
