package core

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/plimsoll-go/plimsoll/class"
	"github.com/plimsoll-go/plimsoll/ladder"
	"github.com/plimsoll-go/plimsoll/limit"
	"github.com/plimsoll-go/plimsoll/queue"
	"github.com/plimsoll-go/plimsoll/stats"
)

// script is a limit that answers from a list of its own, and keeps what it was
// told.
type script struct {
	r    *rand.Rand
	told []told
}

// told is a window in values that can be compared.
type told struct {
	limit.Window
	uncontended, waited, left stats.Histogram
}

func newScript(seed uint64) *script { return &script{r: rand.New(rand.NewPCG(seed, 1))} }

func (s *script) Start() limit.Next { return s.next() }

func (s *script) Fold(w limit.Window) limit.Next {
	t := told{w, *w.Uncontended, *w.Waited, *w.Left}
	t.Uncontended, t.Waited, t.Left = nil, nil, nil
	s.told = append(s.told, t)
	return s.next()
}

func (s *script) next() limit.Next {
	ms := time.Millisecond
	return limit.Next{
		Limit:      1 + s.r.IntN(6),
		MinSamples: s.r.IntN(30),
		MinTime:    time.Duration(20+s.r.IntN(100)) * ms,
		MaxTime:    time.Duration(100+s.r.IntN(400)) * ms,
		Saturated:  s.r.IntN(2) == 0,
	}
}

// trio runs one sequence of events through the machine by the lock, the
// machine by the word where it is open, and the oracle, and compares what
// they say.
type trio struct {
	t     *testing.T
	r     *rand.Rand
	now   time.Duration
	locks *Machine
	words *Machine
	slow  *oracle
	tally Tally
	all   []*arrival
	live  []*arrival // waiting or holding something
	fast  int        // events that took a fast path
	why   [Reasons]uint64
}

// arrival is one arrival in all three.
type arrival struct {
	lock, word Waiter
	slow       entry
}

func randomConfig(r *rand.Rand) Config {
	ms := time.Millisecond
	pick := func(v ...int) int { return v[r.IntN(len(v))] }
	c := Config{
		MaxWait:         time.Duration(pick(0, 20, 100, 100, 500, 500, 5000)) * ms,
		MaxQueue:        pick(0, 1, 3, 8, 8, 20, 20),
		Order:           queue.Order(r.IntN(5)),
		NewestAbove:     pick(0, 0, 3, 6),
		Full:            queue.Full(r.IntN(5)),
		Utilisation:     []float64{1, 1, 1, 0.5, 0.9}[r.IntN(5)],
		ServiceTime:     time.Duration(pick(0, 0, 0, 10, 40)) * ms,
		NoPrediction:    r.IntN(4) == 0,
		ExpireAtDequeue: r.IntN(4) == 0,
		MaxStreams:      pick(0, 2, 5),
	}
	if r.IntN(4) == 0 {
		c.MaxQueueBytes = int64(pick(3, 10, 30))
	}
	if r.IntN(3) == 0 {
		c.PromoteAfter = time.Duration(pick(10, 50, 150)) * ms
	}
	if r.IntN(3) == 0 {
		c.DeadLetterAfter = time.Duration(pick(15, 80, 300)) * ms
	}
	if r.IntN(4) == 0 {
		c.Shares = []queue.Shares{{10, 0, 90, 0}, {0, 30, 0, 0}, {25, 25, 25, 25}, {0, 0, 1, 99}}[r.IntN(4)]
	}
	if r.IntN(3) == 0 {
		c.StandingWait = time.Duration(pick(3, 15)) * ms
	}
	if r.IntN(3) == 0 {
		c.CoDel = &queue.CoDel{Target: time.Duration(pick(1, 5, 20)) * ms, Interval: time.Duration(pick(25, 40, 100)) * ms}
		if r.IntN(2) == 0 { // a queue that can stand
			c.MaxQueue, c.MaxWait = 60, 5*time.Second
		}
	}
	c.CountInFlight = c.Utilisation < 1
	if r.IntN(2) == 0 {
		c.Full = queue.Refuse
	}
	if r.IntN(2) == 0 {
		c.Ladder = randomLadder(r)
	}
	return c
}

func randomLadder(r *rand.Rand) *ladder.Config {
	ms := time.Millisecond
	c := ladder.Config{
		Dwell: time.Duration(1+r.IntN(100)) * ms, Quiet: time.Duration(1+r.IntN(1000)) * ms, Exercise: 0.1,
	}
	on := time.Duration(0)
	supplied := r.IntN(6) == 0
	for i := range 1 + r.IntN(4) {
		on += time.Duration(1+r.IntN(60)) * ms
		t := ladder.Tier{Name: string(rune('a' + i)), On: on}
		if supplied {
			t = ladder.Tier{Name: t.Name, Above: on.Seconds()}
		}
		if r.IntN(4) == 0 {
			t.Spare = []class.Criticality{class.FromLane(r.IntN(4))}
		}
		c.Tiers = append(c.Tiers, t)
	}
	c = c.Resolved()
	return &c
}

func newTrio(t *testing.T, seed uint64) *trio {
	x := &trio{t: t, r: rand.New(rand.NewPCG(seed, 2))}
	c := randomConfig(x.r)
	with := func(l limit.Algorithm) Config { c.Limit = l; return c }
	x.locks, x.words, x.slow = New(with(newScript(seed))), New(with(newScript(seed))), newOracle(with(newScript(seed)))
	return x
}

// step plays one event at a time a little later.
func (x *trio) step() {
	x.wait(time.Duration(x.r.IntN(1 << (10 + x.r.IntN(14)))))
	switch n := x.r.IntN(1000); {
	case n < 520:
		x.arrive()
	case n < 900:
		x.end()
	case n < 960:
		x.cancel()
	case n < 985:
		x.detach()
	case n < 987:
		x.wait(time.Duration(x.r.IntN(3)) * time.Second)
	case n < 990:
		ramp := time.Duration(x.r.IntN(3)*x.r.IntN(400)) * time.Millisecond
		x.slow.recover(x.now, ramp)
		x.slow.observe()
		x.same("recover", x.locks.Recover(x.now, ramp), x.words.Recover(x.now, ramp))
	case n < 992:
		x.configure()
	case n < 995:
		x.switchTier()
	case n == 999 && x.r.IntN(20) == 0:
		x.slow.draining = true
		x.locks.Drain(x.now)
		x.words.Drain(x.now)
	}
	x.invariants()
}

// wait lets d pass, and does what falls due.
func (x *trio) wait(d time.Duration) {
	until := x.now + d
	for {
		at := x.slow.wanted()
		if a, b := x.locks.Next(), x.words.Next(); a != at || b != at {
			x.t.Fatalf("at %v: Advance is wanted at %v by the lock, %v by the word, %v by the oracle", x.now, a, b, at)
		}
		if at > until {
			break
		}
		x.now = max(x.now, at)
		x.fold()
		x.slow.advance(x.now)
		x.slow.observe()
		x.same("advance", x.locks.Advance(x.now), x.words.Advance(x.now))
		x.sameWindow()
	}
	x.now = until
}

// sameWindow compares what the limits were told last.
func (x *trio) sameWindow() {
	tell := func(c Config) (t told) {
		s := c.Limit.(*script)
		if len(s.told) > 0 {
			t, s.told = s.told[0], s.told[1:]
		}
		if len(s.told) > 0 {
			x.t.Fatalf("at %v: more than one window ended at once", x.now)
		}
		return t
	}
	lock, word, want := tell(x.locks.cfg), tell(x.words.cfg), tell(x.slow.cfg)
	if lock != want || word != want {
		x.t.Fatalf("at %v: the window as the limit sees it:\n  lock   %+v %d %d\n  word   %+v %d %d\n  oracle %+v %d %d", x.now,
			lock.Window, lock.uncontended.Count(), lock.waited.Count(),
			word.Window, word.uncontended.Count(), word.waited.Count(),
			want.Window, want.uncontended.Count(), want.waited.Count())
	}
}

func (x *trio) fold() {
	x.words.Fold(&x.tally)
	x.tally = Tally{}
}

func (x *trio) arrive() {
	a := &arrival{}
	i := queue.Item{
		Rank:     class.RankOf(class.FromLane(x.r.IntN(4)), class.Level([]int{0, 0, 0, 5, 90}[x.r.IntN(5)])),
		Tenant:   uint64(max(0, x.r.IntN(7)-3)),
		Cost:     int64(x.r.IntN(4)),
		Bytes:    int64([]int{0, 1, 1, 2, 5, 12}[x.r.IntN(6)]),
		Internal: x.r.IntN(5) == 0,
		Deadline: Never,
	}
	if x.r.IntN(3) > 0 {
		i.Deadline = x.now + time.Duration(x.r.IntN(300)-10)*time.Millisecond
	}
	noWait, stream := x.r.IntN(20) == 0, x.r.IntN(20) == 0
	a.slow = entry{id: len(x.all), item: i, noWait: noWait, stream: stream}
	a.lock, a.word = Waiter{Item: i, NoWait: noWait, Stream: stream}, Waiter{Item: i, NoWait: noWait, Stream: stream}
	a.lock.Shell, a.word.Shell = a, a
	x.all = append(x.all, a)

	x.slow.arrive(x.now, &a.slow)
	x.slow.observe()
	_, movedLock := x.locks.Arrive(x.now, &a.lock)
	movedWord := x.arriveByWord(a)
	x.same("arrive", movedLock, movedWord)
	x.agree(a)
	if d := a.slow.decision; d.Verdict == Refused {
		x.lowestFirst(a)
	} else {
		x.live = append(x.live, a)
	}
}

// arriveByWord does what the shell does.
func (x *trio) arriveByWord(a *arrival) *Waiter {
	w, word := &a.word, x.words.Word()
	lane := w.Item.Rank.Criticality().Lane()
	level, why := word.Level()
	byLevel := w.Item.Rank <= level && (w.Item.Tenant == 0 || why == Busy)
	if byLevel || w.NoWait && word.Full() {
		if byLevel && why == QueueFull {
			x.tally.Full[lane]++
		} else {
			why = Busy
			x.tally.Busy[lane]++
		}
		x.fast++
		w.state, w.decision = refused, Decision{Reason: why, RetryAfter: word.Retry()}
		return nil
	}
	left := w.Item.Deadline
	if left != Never {
		left -= x.now
	}
	if !w.Stream {
		if epoch, n, ok := word.Take(left); ok {
			x.tally.Opened[lane]++
			x.tally.Peak = max(x.tally.Peak, n)
			x.fast++
			d := ladder.Decision{}
			if p := word.Plan(); p != nil {
				d = p.Decide(w.Item.Rank.Criticality(), x.r.Uint64())
				x.tally.Rungs[d.Rung()]++
			}
			w.Open(x.now, epoch, d)
			w.decision = Decision{Verdict: Admitted}
			return nil
		}
	}
	_, moved := x.words.Arrive(x.now, w)
	return moved
}

// pick returns a random live arrival in one of the states.
func (x *trio) pick(in ...state) *arrival {
	for range 20 {
		if len(x.live) == 0 {
			return nil
		}
		a := x.live[x.r.IntN(len(x.live))]
		for _, s := range in {
			if a.slow.state == s {
				return a
			}
		}
	}
	return nil
}

func (x *trio) end() {
	a := x.pick(running, streaming)
	if a == nil {
		return
	}
	o := Success
	if x.r.IntN(4) == 0 {
		o = Outcome(x.r.IntN(int(Outcomes)))
	}
	x.finish(a, o)
}

func (x *trio) finish(a *arrival, o Outcome) {
	x.slow.finish(x.now, &a.slow, o)
	x.slow.observe()
	movedLock := x.locks.Finish(x.now, &a.lock, o)
	var movedWord *Waiter
	if w := &a.word; o == Success && w.Plain() && x.now <= w.Item.Deadline && x.words.Word().Give(w.Epoch()) {
		lane := w.Item.Rank.Criticality().Lane()
		x.tally.Good[lane]++
		x.tally.Held += x.now - w.Started()
		x.tally.Samples.Add(x.now - w.Started())
		x.fast++
		w.Shut()
	} else {
		movedWord = x.words.Finish(x.now, w, o)
	}
	x.same("finish", movedLock, movedWord)
}

func (x *trio) cancel() {
	a := x.pick(waiting, running)
	if a == nil || a.slow.state == running && !a.slow.waited {
		return // who was admitted at once does not wait any more
	}
	x.slow.cancel(x.now, &a.slow)
	x.slow.observe()
	_, movedLock := x.locks.Cancel(x.now, &a.lock)
	_, movedWord := x.words.Cancel(x.now, &a.word)
	x.same("cancel", movedLock, movedWord)
	x.agree(a)
}

func (x *trio) detach() {
	a := x.pick(running)
	if a == nil {
		return
	}
	want := x.slow.detach(x.now, &a.slow)
	x.slow.observe()
	lock, movedLock := x.locks.Detach(x.now, &a.lock)
	word, movedWord := x.words.Detach(x.now, &a.word)
	if lock != want || word != want {
		x.t.Fatalf("at %v: detach: %v by the lock, %v by the word, %v by the oracle", x.now, lock, word, want)
	}
	x.same("detach", movedLock, movedWord)
}

func (x *trio) configure() {
	c := randomConfig(x.r)
	seed := x.r.Uint64()
	fresh := x.r.IntN(2) == 0
	with := func(was limit.Algorithm) Config {
		c.Limit = was
		if fresh {
			c.Limit = newScript(seed)
		}
		return c
	}
	x.fold()
	x.slow.configure(x.now, with(x.slow.cfg.Limit))
	x.slow.observe()
	x.same("configure", x.locks.Configure(x.now, with(x.locks.cfg.Limit)), x.words.Configure(x.now, with(x.words.cfg.Limit)))
}

// switchTier switches a tier, by one of the three ways there are.
func (x *trio) switchTier() {
	l := x.slow.ladder
	if l == nil {
		return
	}
	i := x.r.IntN(len(l.Config().Tiers))
	name := l.Config().Tiers[i].Name
	switch x.r.IntN(3) {
	case 0:
		mode := ladder.Mode(x.r.IntN(3))
		x.slow.override(x.now, i, mode)
		x.locks.Override(x.now, name, mode)
		x.words.Override(x.now, name, mode)
	case 1:
		failing := x.r.IntN(2) == 0
		x.slow.fail(x.now, i, failing)
		x.locks.Fail(x.now, name, failing)
		x.words.Fail(x.now, name, failing)
	case 2:
		signal := x.r.Float64() / 5
		x.slow.supply(x.now, signal)
		x.locks.Supply(x.now, signal)
		x.words.Supply(x.now, signal)
	}
}

// same compares whom a call has moved, in order, and what it told them.
func (x *trio) same(call string, lock, word *Waiter) {
	x.t.Helper()
	for _, e := range x.slow.moved {
		if lock == nil || word == nil {
			x.t.Fatalf("at %v: %s: arrival %d was moved by the oracle alone", x.now, call, e.id)
		}
		a := x.all[e.id]
		if lock != &a.lock || word != &a.word {
			x.t.Fatalf("at %v: %s: moved %d by the lock, %d by the word, %d by the oracle", x.now, call,
				lock.Shell.(*arrival).slow.id, word.Shell.(*arrival).slow.id, e.id)
		}
		lock, word = lock.Next(), word.Next()
		x.agree(a)
		if e.decision.Verdict == Admitted {
			x.highestFirst(e)
		}
	}
	if lock != nil || word != nil {
		x.t.Fatalf("at %v: %s: the machine moved more than the oracle", x.now, call)
	}
	x.slow.moved = nil
	live := x.live[:0]
	for _, a := range x.live {
		if s := a.slow.state; s != refused && s != idle {
			live = append(live, a)
		}
	}
	x.live = live
}

func (x *trio) agree(a *arrival) {
	x.t.Helper()
	if a.slow.decision.Verdict == Admitted {
		full := func(d ladder.Decision) ladder.Mask { return d.Tiers &^ d.Exercised }
		if l, w := full(a.lock.degraded), full(a.word.degraded); l != a.slow.degraded || w != a.slow.degraded {
			x.t.Fatalf("at %v: arrival %d goes without %b by the lock, %b by the word, %b by the oracle", x.now, a.slow.id, l, w, a.slow.degraded)
		}
	}
	if l, w, o := a.lock.decision, a.word.decision, a.slow.decision; l != o || w != o {
		x.t.Fatalf("at %v: arrival %d %+v:\n  lock   %+v\n  word   %+v\n  oracle %+v", x.now, a.slow.id, a.slow.item.Rank, l, w, o)
	}
}

// lowestFirst holds that nothing is refused for want of room while something
// of a lower rank waits.
func (x *trio) lowestFirst(a *arrival) {
	if r := a.slow.decision.Reason; r != QueueFull && r != Dropped || x.slow.cfg.Shares.Any() || x.slow.cfg.MaxQueueBytes > 0 {
		return
	}
	for _, w := range x.slow.wait {
		if w.rank() < a.slow.rank() {
			x.t.Fatalf("at %v: %v was refused while %v waits", x.now, a.slow.item.Rank, w.item.Rank)
		}
	}
}

// highestFirst holds that nobody is admitted from the queue past a waiter of a
// higher criticality.
func (x *trio) highestFirst(e *entry) {
	for _, w := range x.slow.wait {
		if !x.slow.cfg.Shares.Any() && x.slow.lane(w) > x.slow.lane(e) {
			x.t.Fatalf("at %v: %v was admitted while %v waits", x.now, e.item.Rank, w.item.Rank)
		}
	}
}

// invariants holds that no slot is lost or doubled. It looks now and then
// only: a look closes the word, and the next fast path would never be taken
// at its own word.
func (x *trio) invariants() {
	if l, w := x.locks.InFlight(), x.words.InFlight(); l != x.slow.inFlight || w != l {
		x.t.Fatalf("at %v: in flight: %d by the lock, %d by the word, %d by the oracle", x.now, l, w, x.slow.inFlight)
	}
	if x.r.IntN(10) > 0 {
		return
	}
	l, w := x.locks.Status(x.now), x.words.Status(x.now)
	if l != w {
		x.t.Fatalf("at %v: status\n  lock %+v\n  word %+v", x.now, l, w)
	}
	held, streams := 0, 0
	for _, a := range x.live {
		switch a.slow.state {
		case running:
			held++
		case streaming:
			streams++
		}
	}
	if l.InFlight != held || l.Streams != streams || l.Depth != len(x.slow.wait) || l.Slots != x.slow.slots() || l.Places != x.slow.bound() {
		x.t.Fatalf("at %v: %+v, but %d hold a slot, %d are streams, %d wait; %d slots, %d places", x.now, l, held, streams, len(x.slow.wait), x.slow.slots(), x.slow.bound())
	}
}

// rest ends everything and holds that nothing is left.
func (x *trio) rest() {
	for len(x.live) > 0 {
		a := x.live[0]
		if a.slow.state == waiting {
			x.slow.cancel(x.now, &a.slow)
			x.slow.observe()
			_, lock := x.locks.Cancel(x.now, &a.lock)
			_, word := x.words.Cancel(x.now, &a.word)
			x.same("cancel", lock, word)
		} else {
			x.finish(a, Success)
		}
	}
	x.wait(time.Minute)
	x.fold()
	for name, m := range map[string]*Machine{"lock": x.locks, "word": x.words} {
		if s := m.Status(x.now); s.InFlight != 0 || s.Depth != 0 || s.Streams != 0 || m.reserved != 0 || m.Next() != Never {
			x.t.Fatalf("%s: not at rest: %+v, %d reserved, Next %v", name, s, m.reserved, m.Next())
		}
		for lane := range m.counts.Classes {
			c := &m.counts.Classes[lane]
			sum := c.Admitted
			for reason, n := range c.Refused {
				sum += n
				x.why[reason] += n
			}
			ended := uint64(0)
			for _, n := range c.Ended {
				ended += n
			}
			if c.Arrived != sum || c.Admitted != ended || c.Ended[Success] != c.Good+c.Late {
				x.t.Fatalf("%s: lane %d: arrived %d, admitted and refused %d, ended %d of %d, good %d late %d", name, lane, c.Arrived, sum, ended, c.Admitted, c.Good, c.Late)
			}
		}
	}
	if x.locks.counts != x.words.counts {
		x.t.Fatalf("the counters by the lock and by the word differ:\n%s", diffCounts(&x.locks.counts, &x.words.counts))
	}
}

func diffCounts(a, b *Counts) string {
	s := fmt.Sprintf("high in flight %d %d, depth %d %d\n", a.HighInFlight, b.HighInFlight, a.HighDepth, b.HighDepth)
	for lane := range a.Classes {
		x, y := &a.Classes[lane], &b.Classes[lane]
		s += fmt.Sprintf("lane %d: arrived %d %d admitted %d %d refused %v %v ended %v %v good %d %d wasted %v %v\n",
			lane, x.Arrived, y.Arrived, x.Admitted, y.Admitted, x.Refused, y.Refused, x.Ended, y.Ended, x.Good, y.Good, x.Wasted, y.Wasted)
	}
	return s
}

// TestRandomSequencesAgainstTheOracle plays a million random events (a
// hundred thousand with -short) on the machine, by the open word and by the
// lock, and on the oracle.
func TestRandomSequencesAgainstTheOracle(t *testing.T) {
	events, per := 1_000_000, 2_000
	if testing.Short() {
		events = 100_000
	}
	fast := 0
	var why [Reasons]uint64
	for seed := range uint64(events / per) {
		x := newTrio(t, seed)
		for range per {
			x.step()
		}
		x.rest()
		fast += x.fast
		for r, n := range x.why {
			why[r] += n
		}
		if t.Failed() {
			t.Fatalf("seed %d", seed)
		}
	}
	if fast < events/20 {
		t.Errorf("only %d of %d events took a fast path: the comparison says little", fast, events)
	}
	for r := None + 1; r < Reasons; r++ {
		if why[r] == 0 {
			t.Errorf("nobody was refused with %s", r)
		}
	}
	t.Logf("%d events, %d of them by a fast path, refused %v", events, fast, why)
}

// FuzzMachine does the same with sequences of the fuzzer's choosing.
func FuzzMachine(f *testing.F) {
	f.Add(uint64(1), uint16(300))
	f.Fuzz(func(t *testing.T, seed uint64, events uint16) {
		x := newTrio(t, seed)
		for range events % 2000 {
			x.step()
		}
		x.rest()
	})
}
