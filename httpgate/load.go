package httpgate

import (
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/plimsoll-go/plimsoll"
	"github.com/plimsoll-go/plimsoll/class"
	"github.com/plimsoll-go/plimsoll/stats"
)

// How long a report is sent before the next is made, and in what time what it
// says follows the gate by half.
const (
	loadEvery    = 50 * time.Millisecond
	loadHalfLife = time.Second
)

// Load reports the load of one gate to balancers: a report is made at most
// every 50 ms, whatever the traffic, and costs a request a look at the clock.
// Its handlers may share it. Make one with [NewLoad].
//
//	application_utilization  what is offered over what can be served: slots held and
//	                         waited for by slot, times arrivals by admission; above 1
//	                         in an overload
//	rps_fractional           admitted, a second
//	eps                      failed, timed out or overloaded behind the gate, a second;
//	                         refusals are in the utilization
//	named_metrics
//	  queue_delay_ms         what a newcomer would wait, now
//	  shed_critical_plus     the share of its arrivals that is refused, and so on for
//	                         each criticality
//
// All but queue_delay_ms follow with a half-life of a second.
type Load struct {
	gate *plimsoll.Gate
	due  atomic.Int64 // when the next report is made, since epoch
	last atomic.Pointer[preparedLoad]

	epoch    time.Time
	mu       sync.Mutex // held by who makes a report
	before   [class.Count]laneCounts
	pressure stats.Mean // slots held and waited for, by slot
	errors   stats.Rate
	arrived  [class.Count]stats.Rate
	admitted [class.Count]stats.Rate
	refused  [class.Count]stats.Rate
}

// LoadFigures are those of a report; see [Load]. Named is shared and must not be
// changed.
type LoadFigures struct {
	Utilization float64 // application_utilization
	RPS, EPS    float64 // rps_fractional and eps
	Named       map[string]float64
}

// preparedLoad is a report ready to be put into a header map, which shares it.
type preparedLoad struct {
	text, binary []string
	figures      LoadFigures
}

// NewLoad returns the load of a gate, which must not be nil.
func NewLoad(g *plimsoll.Gate) *Load {
	if g == nil {
		panic("httpgate: NewLoad needs a gate")
	}
	l := &Load{gate: g, epoch: time.Now()}
	s := g.Snapshot()
	for lane := range l.before {
		l.before[lane] = countLane(&s.Classes[lane])
	}
	l.pressure.HalfLife, l.errors.HalfLife = loadHalfLife, loadHalfLife
	for lane := range l.arrived {
		l.arrived[lane].HalfLife, l.admitted[lane].HalfLife, l.refused[lane].HalfLife = loadHalfLife, loadHalfLife, loadHalfLife
	}
	l.last.Store(l.prepare(0))
	return l
}

// Figures are those of the last report. They are made anew as reports are, and
// may be asked for concurrently.
func (l *Load) Figures() LoadFigures { return l.report().figures }

// report returns the last report, and makes a new one first if that is due and
// nobody else is at it.
func (l *Load) report() *preparedLoad {
	now := time.Since(l.epoch)
	if due := l.due.Load(); int64(now) >= due && l.due.CompareAndSwap(due, int64(now+loadEvery)) {
		l.last.Store(l.prepare(now))
	}
	return l.last.Load()
}

// prepare makes a report of what has happened since the one before.
func (l *Load) prepare(now time.Duration) *preparedLoad {
	l.mu.Lock()
	defer l.mu.Unlock()
	s := l.gate.Snapshot()
	l.pressure.Add(now, float64(s.InFlight+s.Depth)/float64(max(s.Limit, 1)))
	var arrived, admitted float64
	shed := make([]orcaMetric, 0, 1+class.Count)
	shed = append(shed, orcaMetric{"queue_delay_ms", float64(s.PredictedDelay) / float64(time.Millisecond)})
	for _, c := range class.All() {
		lane := c.Lane()
		is, was := countLane(&s.Classes[lane]), &l.before[lane]
		l.arrived[lane].Add(now, float64(is.arrived-was.arrived))
		l.admitted[lane].Add(now, float64(is.admitted-was.admitted))
		l.refused[lane].Add(now, float64(is.refused-was.refused))
		l.errors.Add(now, float64(is.failed-was.failed))
		*was = is
		refused := l.refused[lane].PerSecond(now)
		arrived += l.arrived[lane].PerSecond(now)
		admitted += l.admitted[lane].PerSecond(now)
		shed = append(shed, orcaMetric{"shed_" + strings.ToLower(c.String()), share(refused, l.arrived[lane].PerSecond(now))})
	}
	pressure, _ := l.pressure.Value(now)
	if admitted > 0 {
		pressure *= max(arrived/admitted, 1)
	}
	r := orcaReport{application: pressure, rps: admitted, eps: l.errors.PerSecond(now), named: shed}
	return &preparedLoad{text: []string{r.text()}, binary: []string{r.binary()}, figures: r.figures()}
}

// laneCounts are the counters of one criticality that a report is made of.
type laneCounts struct{ arrived, admitted, refused, failed uint64 }

func countLane(c *plimsoll.ClassSnapshot) laneCounts {
	return laneCounts{
		arrived: c.Arrived, admitted: c.Admitted, refused: c.RefusedTotal(),
		failed: c.Outcomes[plimsoll.Failed] + c.Outcomes[plimsoll.TimedOut] + c.Outcomes[plimsoll.Overloaded],
	}
}

// share is a part of a whole that may be empty. A part that came out of an
// earlier whole, such as what has waited, counts as all of it at most.
func share(part, whole float64) float64 {
	if !(whole > 0) {
		return 0
	}
	return min(part/whole, 1)
}
