package sim

import (
	"fmt"
	"time"

	"github.com/plimsoll-go/plimsoll/internal/core"
)

// engine is one run.
type engine struct {
	s      *Scenario
	now    time.Duration
	events events
	seq    uint64
	count  uint64 // events that happened

	sources      []source
	stations     []station
	disturbances []disturbance
	flowing      int   // sources that have not ended
	calls        int   // in use
	free         *call // not in use
	sprouts      *branch
	bare         branch // of all that need none; nobody writes to it

	report   *Report
	draws    drawer
	tenants  map[string]int // their places in the report
	aside    Point          // what calls would count as requests
	boundary time.Duration  // where the bucket that is running ends
}

// Run plays a scenario. Its report depends on nothing but the scenario and the
// seed. An error means a faulty scenario, with every fault, or a fault of the
// simulator itself: a run in which Little's law does not hold.
func Run(s Scenario, seed uint64) (*Report, error) {
	if err := s.Validate(); err != nil {
		return nil, err
	}
	e := newEngine(&s, seed)
	end := s.Length + max(s.Grace, 0)
	if s.Grace == 0 {
		end = s.Length + DefaultGrace
	}
	for e.flowing > 0 || e.calls > 0 {
		if !e.step(end) {
			e.roll(end)
			e.now = end
			break
		}
	}
	return e.finish()
}

// step plays what comes next, unless that is after the end.
func (e *engine) step(end time.Duration) bool {
	at, gate := core.Never, -1
	for i := range e.stations {
		if e.stations[i].due < at {
			at, gate = e.stations[i].due, i
		}
	}
	if len(e.events) > 0 && e.events[0].at <= at {
		at, gate = e.events[0].at, -1
	}
	if at > end {
		return false
	}
	if at >= e.boundary {
		e.roll(at)
	}
	e.now = max(e.now, at)
	e.count++
	if gate >= 0 {
		e.tick(&e.stations[gate])
		return true
	}
	ev := e.events.pop()
	e.play(&ev)
	return true
}

func (e *engine) play(ev *event) {
	if ev.c != nil && ev.c.gen != ev.gen {
		return
	}
	switch ev.what {
	case arrival:
		e.arrive(&e.sources[ev.n])
	case done:
		e.done(ev.c)
	case patience:
		if !ev.c.left {
			e.lose(ev.c)
		}
	case retrying:
		e.send(ev.c)
	case heard:
		e.hear(ev.c, core.Outcome(ev.n))
	case disturb:
		e.disturb(&e.disturbances[ev.n])
	case resume:
		e.start(&e.stations[ev.n])
	case killing:
		if st := &e.stations[ev.n]; st.doomed {
			e.kill(st, st.of.Memory.Restart)
		}
	case back:
		e.rejoin(&e.stations[ev.n])
	case joining:
		e.join(&e.sources[ev.n])
	case streamed:
		e.close(ev.c)
	case closing:
		e.flowing--
	}
}

// disturb lets a disturbance happen.
func (e *engine) disturb(d *disturbance) {
	st := &e.stations[d.station]
	st.settleShared(e.now)
	d.effect.apply(e, st)
	st.planShared()
	if st.stalled > e.now {
		e.at(st.stalled, event{what: resume, n: int32(d.station)})
	}
	e.start(st)
}

// at schedules an event.
func (e *engine) at(t time.Duration, ev event) {
	e.seq++
	ev.at, ev.seq = t, e.seq
	if ev.c != nil {
		ev.gen = ev.c.gen
	}
	e.events.push(ev)
}

// finish closes the books.
func (e *engine) finish() (*Report, error) {
	r := e.report
	r.End, r.Events = e.now, e.count
	if e.boundary-r.Bucket < e.now || e.points() != (Point{}) || len(r.Series) == 0 {
		e.sample(e.now)
	}
	e.account()
	for i := range e.stations {
		st := &e.stations[i]
		st.book.advance(e.now)
		st.report.InSystem, st.report.Arrived, st.report.Sojourn = st.book.means(e.now)
		r.Stations = append(r.Stations, st.report)
		if err := st.book.check(e.now); err != nil {
			return nil, fmt.Errorf("sim: station %d %q: %w", i, st.of.Name, err)
		}
	}
	return r, nil
}
