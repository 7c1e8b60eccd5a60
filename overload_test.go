package plimsoll

import (
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/plimsoll-go/plimsoll/class"
	"github.com/plimsoll-go/plimsoll/internal/core"
)

// station is a backend in virtual time behind a default gate: workers that
// take jobs in order from a queue without a bound and do every one of them,
// and callers who give up after their patience and try again at once.
type station struct {
	m        *core.Machine
	r        *rand.Rand
	workers  int
	service  time.Duration
	patience time.Duration
	attempts int

	now    time.Duration
	free   []time.Duration // when each worker is free
	events []event         // in order
	seq    int

	good     []time.Duration // when a caller got its answer
	lost     [class.Count]int
	offered  [class.Count]int
	limits   []int // the limit at every tenth of a second
	latency  []time.Duration
	arrivals int
}

type event struct {
	at  time.Duration
	seq int
	do  func()
}

func (s *station) at(t time.Duration, do func()) {
	s.seq++
	e := event{t, s.seq, do}
	i, _ := slices.BinarySearchFunc(s.events, e, func(a, b event) int {
		if a.at != b.at {
			return int(min(max(a.at-b.at, -1), 1))
		}
		return a.seq - b.seq
	})
	s.events = slices.Insert(s.events, i, e)
}

// run plays events until the given time.
func (s *station) run(until time.Duration) {
	for {
		next := s.m.Next()
		if len(s.events) > 0 && s.events[0].at < next {
			next = s.events[0].at
			if next > until {
				break
			}
			e := s.events[0]
			s.events = s.events[1:]
			s.now = e.at
			e.do()
			continue
		}
		if next > until {
			break
		}
		s.now = max(s.now, next)
		s.moved(s.m.Advance(s.now))
	}
	s.now = until
}

func (s *station) moved(w *core.Waiter) {
	for _, w := range list(w) {
		w.Shell.(func(core.Decision))(w.Decision())
	}
}

// try is one attempt of a logical request.
func (s *station) try(c class.Criticality, attempt int) {
	s.arrivals++
	start := s.now
	w := arrivalOf(c, s.now+s.patience)
	again := func() {
		if attempt < s.attempts {
			s.at(s.now, func() { s.try(c, attempt+1) })
		} else {
			s.lost[c.Lane()]++
		}
	}
	settled := false
	w.Shell = func(d core.Decision) {
		if d.Verdict == core.Refused && !settled {
			settled = true
			again()
		}
		if d.Verdict == core.Admitted {
			i := 0
			for j := range s.free {
				if s.free[j] < s.free[i] {
					i = j
				}
			}
			done := max(s.free[i], s.now) + s.service
			s.free[i] = done
			s.at(done, func() {
				s.moved(s.m.Finish(s.now, w, core.Success))
				if s.now-start <= s.patience && !settled {
					settled = true
					s.good = append(s.good, s.now)
					s.latency = append(s.latency, s.now-start)
				}
			})
		}
	}
	s.at(start+s.patience+1, func() {
		if !settled {
			settled = true
			again()
		}
	})
	d, moved := s.m.Arrive(s.now, w)
	s.moved(moved)
	if d.Verdict != core.Waiting {
		w.Shell.(func(core.Decision))(d)
	}
}

// offer schedules Poisson arrivals of a rate between two times, a tenth
// CRITICAL_PLUS, three tenths SHEDDABLE.
func (s *station) offer(rate float64, from, to time.Duration) {
	for t := from; ; {
		t += time.Duration(s.r.ExpFloat64() / rate * float64(time.Second))
		if t >= to {
			return
		}
		c := class.Critical
		switch p := s.r.IntN(10); {
		case p == 0:
			c = class.CriticalPlus
		case p > 6:
			c = class.Sheddable
		}
		s.at(t, func() { s.offered[c.Lane()]++; s.try(c, 1) })
	}
}

// within counts the good answers from one time to another.
func (s *station) within(from, to time.Duration) int {
	n := 0
	for _, t := range s.good {
		if t >= from && t < to {
			n++
		}
	}
	return n
}

// TestOverloadOfTheDemo plays the demonstration in virtual time on a gate
// without any configuration: 0.7x, 2x, 0.7x, callers that wait a second, or
// less, and try three times at once. The backend has 8 slots of 17.4 ms.
func TestOverloadOfTheDemo(t *testing.T) {
	for _, patience := range []time.Duration{time.Second, 400 * ms} {
		for seed := range uint64(5) {
			s := &station{
				m: machine(t, Config{}), r: rand.New(rand.NewPCG(seed, 3)),
				workers: 8, service: 17400 * time.Microsecond, patience: patience, attempts: 3,
				free: make([]time.Duration, 8),
			}
			capacity := float64(s.workers) / s.service.Seconds()
			calm, over, after := 4*time.Second, 14*time.Second, 18*time.Second
			s.offer(0.7*capacity, 0, calm)
			s.offer(2*capacity, calm, over)
			s.offer(0.7*capacity, over, after)
			s.run(calm)
			if n := s.lost; n != [class.Count]int{} {
				t.Errorf("patience %v, seed %d: lost in the calm: %v", patience, seed, n)
			}
			var perSecond []int
			for at := calm; at < over; at += time.Second {
				s.run(at + time.Second)
				perSecond = append(perSecond, s.within(at, at+time.Second))
				s.limits = append(s.limits, s.m.Status(s.now).Limit)
			}
			lost := s.lost
			s.run(over + 2*time.Second)
			lostSoon := s.lost
			s.run(after + 2*time.Second)
			share := float64(s.within(calm, over)) / (capacity * (over - calm).Seconds())
			slices.Sort(s.latency)
			t.Logf("patience %v, seed %d: goodput %.1f %% of capacity, each second %v, limits %v, p50 %v, lost in the overload %v",
				patience, seed, 100*share, perSecond, s.limits, s.latency[len(s.latency)/2].Round(ms), lost)
			if share < 0.98 {
				t.Errorf("patience %v, seed %d: goodput %.1f %% of capacity in the overload", patience, seed, 100*share)
			}
			if lost[class.CriticalPlus.Lane()] > 0 {
				t.Errorf("patience %v, seed %d: %d CRITICAL_PLUS lost", patience, seed, lost[class.CriticalPlus.Lane()])
			}
			if s.lost != lostSoon {
				t.Errorf("patience %v, seed %d: still losing two seconds after the overload: %v", patience, seed, s.lost)
			}
		}
	}
}
