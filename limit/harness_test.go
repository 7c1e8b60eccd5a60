package limit_test

import (
	"container/heap"
	"math"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/plimsoll-go/plimsoll/limit"
	"github.com/plimsoll-go/plimsoll/stats"
)

// world is one gate in front of one station in virtual time: a bounded queue
// with a deadline check, workers that serve oldest first, and a pure delay
// behind them that occupies a slot but no worker.
type world struct {
	seed     uint64
	rate     func(now time.Duration) float64 // arrivals per second
	workers  func(now time.Duration) int
	service  func(r *rand.Rand, now time.Duration) time.Duration
	delay    func(now time.Duration) time.Duration
	fails    func(r *rand.Rand, now time.Duration) bool // at once, by its own fault; nil: never
	deadline time.Duration                              // 0: none
	patience func(r *rand.Rand) time.Duration           // after which callers leave, whatever they said; nil: they do not
	frees    bool                                       // whoever leaves gives the slot back; the station works on
	places   int                                        // of the gate's queue; 0: 2000

	algorithm limit.Algorithm
	now       time.Duration
	rng       *rand.Rand // of arrivals
	draws     *rand.Rand // of service times
	leaves    *rand.Rand // of how long callers wait
	drawn     time.Duration
	draw      int
	events    events
	order     uint64

	next     limit.Next
	epoch    int
	inFlight int
	busy     int
	backlog  []*job // in front of the workers
	queue    []*job // in front of the limit, oldest first
	stoodAt  time.Duration
	touched  time.Duration // standing time is accounted up to here
	w        limit.Window
	free     stats.Histogram
	waited   stats.Histogram
	leavers  stats.Histogram
	budgets  stats.Histogram
	slots    stats.Histogram // decayed, for the deadline check
	slow     time.Duration   // its 98th percentile
	drain    stats.Rate

	// What happened, by slice of 100 ms of the time it happened in.
	arrived, refused, good, late []int
	gone                         []int // who left, in the queue or at work
	limits                       []int
	windows, saturated           int
}

type job struct {
	arrived, granted, deadline time.Duration
	epoch                      int
	waited, failed             bool
	running, left, freed       bool
}

type event struct {
	at    time.Duration
	order uint64
	do    func()
}

type events []event

func (e events) Len() int { return len(e) }
func (e events) Less(i, j int) bool {
	return e[i].at < e[j].at || e[i].at == e[j].at && e[i].order < e[j].order
}
func (e events) Swap(i, j int) { e[i], e[j] = e[j], e[i] }
func (e *events) Push(x any)   { *e = append(*e, x.(event)) }
func (e *events) Pop() any {
	old := *e
	x := old[len(old)-1]
	*e = old[:len(old)-1]
	return x
}

func (s *world) in(d time.Duration, do func()) {
	s.order++
	heap.Push(&s.events, event{s.now + d, s.order, do})
}

// run lets the world live for length.
func (s *world) run(length time.Duration) {
	n := int(length/slice) + 1
	s.arrived, s.refused, s.good, s.late = make([]int, n), make([]int, n), make([]int, n), make([]int, n)
	s.limits, s.gone = make([]int, n), make([]int, n)
	s.rng = rand.New(rand.NewPCG(s.seed, 1))
	s.draws = rand.New(rand.NewPCG(s.seed, 2))
	s.leaves = rand.New(rand.NewPCG(s.seed, 3))
	if s.delay == nil {
		s.delay = func(time.Duration) time.Duration { return 0 }
	}
	if s.places == 0 {
		s.places = 2000
	}
	s.drain.HalfLife = 500 * time.Millisecond
	s.next = s.algorithm.Start()
	s.open()
	s.arrive()
	for s.events.Len() > 0 && s.events[0].at < length {
		e := heap.Pop(&s.events).(event)
		s.now = e.at
		s.account()
		e.do()
		s.expire()
		s.fold()
		s.limits[s.now/slice] = s.next.Limit
	}
}

const slice = 100 * time.Millisecond

// arrive schedules the next arrival and lets it in, queue or go.
func (s *world) arrive() {
	gap := time.Duration(s.rng.ExpFloat64() / s.rate(s.now) * float64(time.Second))
	s.in(gap, func() {
		j := &job{arrived: s.now, deadline: math.MaxInt64}
		if s.deadline > 0 {
			j.deadline = s.now + s.deadline
		}
		s.arrived[s.now/slice]++
		switch {
		case s.inFlight < s.next.Limit && len(s.queue) == 0:
			s.grant(j)
		case len(s.queue) >= s.places, s.hopeless(j):
			s.refuse()
		default:
			if len(s.queue) == 0 {
				s.stoodAt = s.now
			}
			j.waited = true
			s.queue = append(s.queue, j)
		}
		if s.patience != nil {
			s.in(s.patience(s.leaves), func() { s.leave(j) })
		}
		s.arrive()
	})
}

// hopeless predicts, with evidence of saturation, an answer that is too late.
func (s *world) hopeless(j *job) bool {
	drain := s.drain.PerSecond(s.now)
	if !s.next.Saturated || drain <= 0 {
		return false
	}
	wait := time.Duration(float64(len(s.queue)) / drain * float64(time.Second))
	return s.now+wait+s.slow > j.deadline
}

func (s *world) grant(j *job) {
	j.granted, j.epoch, j.running = s.now, s.epoch, true
	s.inFlight++
	s.w.MaxInFlight = max(s.w.MaxInFlight, s.inFlight)
	if s.deadline > 0 {
		s.budgets.Add(j.deadline - s.now)
	}
	s.backlog = append(s.backlog, j)
	s.work()
}

// work puts idle workers on the backlog.
func (s *world) work() {
	for s.busy < s.workers(s.now) && len(s.backlog) > 0 {
		j := s.backlog[0]
		s.backlog = s.backlog[1:]
		s.busy++
		length := s.service(s.draws, s.now)
		if s.fails != nil && s.fails(s.draws, s.now) {
			length, j.failed = 500*time.Microsecond, true
		}
		s.drawn, s.draw = s.drawn+length, s.draw+1
		s.in(length, func() {
			s.busy--
			s.in(s.delay(s.now), func() { s.finish(j) })
			s.work()
		})
	}
}

// leave is a caller who goes: out of the queue, or from work that is running,
// which is done all the same.
func (s *world) leave(j *job) {
	j.left = true
	if i := slices.Index(s.queue, j); i >= 0 {
		s.queue = slices.Delete(s.queue, i, i+1)
		s.gone[s.now/slice]++
	}
	if j.running && s.frees {
		s.finish(j)
		j.freed = true
	}
}

func (s *world) finish(j *job) {
	if j.freed {
		return
	}
	s.inFlight--
	j.running = false
	held := s.now - j.granted
	s.w.Completed++
	s.drain.Add(s.now, 1)
	if j.failed {
		s.pull()
		return
	}
	if j.left && s.now <= j.deadline {
		s.gone[s.now/slice]++
		if age := s.now - j.arrived; 2*held >= age {
			s.leavers.Add(age)
		}
		s.pull()
		return
	}
	s.slots.Add(held)
	if s.slots.Count() > 400 {
		s.slots.Scale(0.5)
	}
	if s.slots.Count()%8 == 0 || s.slow == 0 {
		s.slow = s.slots.Quantile(0.98)
	}
	if s.now > j.deadline {
		s.w.Lost++
		s.late[s.now/slice]++
	} else {
		s.w.Good++
		s.good[s.now/slice]++
		switch {
		case j.epoch != s.epoch:
		case j.waited:
			s.waited.Add(held)
		default:
			s.free.Add(held)
		}
	}
	s.pull()
}

// pull grants from the queue: oldest first, newest first once it has stood for
// 100 ms. With nothing in flight it always grants.
func (s *world) pull() {
	for s.inFlight < s.next.Limit && len(s.queue) > 0 {
		i := 0
		if s.now-s.stoodAt > 100*time.Millisecond {
			i = len(s.queue) - 1
		}
		j := s.queue[i]
		s.queue = append(s.queue[:i], s.queue[i+1:]...)
		if s.now+s.slow > j.deadline && s.inFlight > 0 {
			s.refuse()
			continue
		}
		s.grant(j)
	}
}

// expire lets those leave whose deadline passed while they waited.
func (s *world) expire() {
	for len(s.queue) > 0 && s.queue[0].deadline < s.now {
		s.queue = s.queue[1:]
		s.refuse()
	}
}

func (s *world) refuse() {
	s.refused[s.now/slice]++
	s.w.Refused++
}

func (s *world) account() {
	if len(s.queue) > 0 {
		s.w.Standing += s.now - s.touched
	}
	s.touched = s.now
}

// fold closes the window when the algorithm wants it closed.
func (s *world) fold() {
	age := s.now - s.w.Start
	if age < s.next.MaxTime && (age < s.next.MinTime || s.w.Completed < s.next.MinSamples) {
		return
	}
	s.w.End, s.w.Depth = s.now, len(s.queue)
	s.w.Budget = s.budgets.Quantile(0.5)
	s.w.Uncontended, s.w.Waited, s.w.Left = &s.free, &s.waited, &s.leavers
	s.windows++
	if s.next.Saturated {
		s.saturated++
	}
	before := s.next.Limit
	s.next = s.algorithm.Fold(s.w)
	if s.next.Limit != before {
		s.epoch++
	}
	s.open()
	s.pull()
}

func (s *world) open() {
	s.w = limit.Window{Start: s.now, Limit: s.next.Limit, MaxInFlight: s.inFlight}
	s.free.Reset()
	s.waited.Reset()
	s.leavers.Reset()
	s.budgets.Reset()
	s.in(s.next.MinTime, func() {})
	s.in(s.next.MaxTime, func() {})
}

// between sums the slices of a stretch of time.
func between(counts []int, from, to time.Duration) int {
	n := 0
	for _, c := range counts[from/slice : to/slice] {
		n += c
	}
	return n
}

// goodput is the answers in time per second of a stretch.
func (s *world) goodput(from, to time.Duration) float64 {
	return float64(between(s.good, from, to)) / (to - from).Seconds()
}

// capacity is the answers per second that n workers could have given, by the
// service times that were drawn.
func (s *world) capacity(n int) float64 { return float64(n*s.draw) / s.drawn.Seconds() }

// unserved is the share of a stretch's arrivals that were refused.
func (s *world) unserved(from, to time.Duration) float64 {
	return float64(between(s.refused, from, to)) / float64(between(s.arrived, from, to))
}

func steady(v float64) func(time.Duration) float64 { return func(time.Duration) float64 { return v } }
func crew(n int) func(time.Duration) int           { return func(time.Duration) int { return n } }

func always(d time.Duration) func(*rand.Rand, time.Duration) time.Duration {
	return func(*rand.Rand, time.Duration) time.Duration { return d }
}

func exponential(mean time.Duration) func(*rand.Rand, time.Duration) time.Duration {
	return func(r *rand.Rand, _ time.Duration) time.Duration {
		return time.Duration(r.ExpFloat64() * float64(mean))
	}
}
