package openloop

import (
	"context"
	"iter"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

const ms = time.Millisecond

// steady is so many requests at one rate, by their numbers.
func steady(rate, n int) iter.Seq2[time.Duration, int] {
	return func(yield func(time.Duration, int) bool) {
		for i := range n {
			if !yield(time.Duration(i)*time.Second/time.Duration(rate), i) {
				return
			}
		}
	}
}

// stalled has the sender come to what is due from then on after a pause of so
// long, once.
func stalled(of iter.Seq2[time.Duration, int], from, pause time.Duration) iter.Seq2[time.Duration, int] {
	return func(yield func(time.Duration, int) bool) {
		for due, i := range of {
			if due >= from && pause > 0 {
				time.Sleep(pause)
				pause = 0
			}
			if !yield(due, i) {
				return
			}
		}
	}
}

// ticked has the sender wake up at whole ticks only, after each request.
func ticked(of iter.Seq2[time.Duration, int], tick time.Duration) iter.Seq2[time.Duration, int] {
	return func(yield func(time.Duration, int) bool) {
		start := time.Now()
		for due, i := range of {
			for now := time.Since(start); now < due; now = time.Since(start) {
				time.Sleep(now.Truncate(tick) + tick - now)
			}
			if !yield(due, i) {
				return
			}
		}
	}
}

// log is what became of requests that a sender was given.
type log struct {
	lock    sync.Mutex
	sent    []time.Duration // when
	skipped map[Skip][]time.Duration
}

// play sends in a bubble, each answered after so long.
func play(ctx context.Context, s Sender, requests iter.Seq2[time.Duration, int], answer time.Duration) *log {
	l := &log{skipped: map[Skip][]time.Duration{}}
	start := time.Now()
	Send(ctx, s, start, requests, func(time.Duration, int) {
		l.lock.Lock()
		l.sent = append(l.sent, time.Since(start))
		l.lock.Unlock()
		Pause(context.Background(), answer)
	}, func(_ time.Duration, _ int, why Skip) {
		l.lock.Lock()
		defer l.lock.Unlock()
		l.skipped[why] = append(l.skipped[why], time.Since(start))
	})
	return l
}

// fullest is the most that was sent within a tenth of a second, wherever that
// begins.
func (l *log) fullest() int {
	slices.Sort(l.sent)
	most, first := 0, 0
	for i, at := range l.sent {
		for l.sent[first] <= at-100*ms {
			first++
		}
		most = max(most, i-first+1)
	}
	return most
}

// TestB24NoBurstToCatchUp: the sender of 1,000 a second is held up for 500 ms.
// What it missed is skipped, and no tenth of a second has much more than its 100.
func TestB24NoBurstToCatchUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := play(t.Context(), Sender{}, stalled(steady(1000, 5000), 2*time.Second, 500*ms), ms)
		late := len(l.skipped[SkipOverdue])
		if len(l.sent)+late != 5000 || late < 470 || late > 500 || len(l.skipped) != 1 {
			t.Errorf("%d sent, %d late of %d", len(l.sent), late, 5000)
		}
		if got := l.fullest(); got > 130 {
			t.Errorf("%d within a tenth of a second, want at most 130 of 100", got)
		}
	})
}

// TestB24CoarseTimers: a sender that wakes up once in a millisecond still sends
// all of 5,000 a second, and what it sends at 400 a second is evenly spread.
func TestB24CoarseTimers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := play(t.Context(), Sender{}, ticked(steady(5000, 10000), ms), ms)
		if len(l.sent) != 10000 {
			t.Errorf("%d sent of 10000, %d skipped", len(l.sent), len(l.skipped[SkipOverdue]))
		}
		for _, requests := range []iter.Seq2[time.Duration, int]{steady(400, 4000), ticked(steady(400, 4000), ms)} {
			l = play(t.Context(), Sender{}, requests, ms)
			short := 0
			slices.Sort(l.sent)
			for i := 1; i < len(l.sent); i++ {
				if l.sent[i]-l.sent[i-1] < 250*time.Microsecond {
					short++
				}
			}
			if len(l.sent) != 4000 || short > 200 {
				t.Errorf("%d of %d gaps are below a tenth of 2.5 ms", short, len(l.sent)-1)
			}
		}
	})
}

// TestB25WhatIsNotSentIsCounted: 50 a second, of which ten may be without an
// answer, each for a second: a fifth can be sent, and the others are counted.
func TestB25WhatIsNotSentIsCounted(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := play(t.Context(), Sender{InFlight: 10}, steady(50, 500), time.Second)
		sent, skipped := len(l.sent), len(l.skipped[SkipInFlight])
		if sent+skipped != 500 || sent < 95 || sent > 105 {
			t.Errorf("%d sent, %d skipped; want about 100 and 400", sent, skipped)
		}
	})
}

// TestSendIsNotSlowed: answers that take longer than the whole schedule do not
// hold anything up, in as many goroutines as there are requests in flight.
func TestSendIsNotSlowed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := play(t.Context(), Sender{}, steady(1000, 1000), time.Minute)
		if len(l.sent) != 1000 || len(l.skipped) != 0 {
			t.Errorf("%d sent of 1000, skipped %v", len(l.sent), l.skipped)
		}
		for i, at := range l.sent {
			if at != time.Duration(i)*ms {
				t.Fatalf("%d sent at %s", i, at)
			}
		}
	})
}

// TestSendStops: what is due after its context is done is neither sent nor
// skipped, and what is in flight is waited for.
func TestSendStops(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), 105*ms)
		defer cancel()
		start := time.Now()
		l := play(ctx, Sender{}, steady(100, 1000), time.Second)
		if len(l.sent) != 11 || len(l.skipped) != 0 || time.Since(start) != 1100*ms {
			t.Errorf("%d sent, skipped %v, after %s", len(l.sent), l.skipped, time.Since(start))
		}
	})
}

// TestSendAfterABusyCore: a job that comes to its goroutine too late is not sent
// either.
func TestSendAfterABusyCore(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var why []Skip
		w := workers[int]{Sender: Sender{InFlight: 1, Overdue: 25 * ms}, start: time.Now(), jobs: make(chan job[int], 1),
			send: func(time.Duration, int) { t.Error("sent") },
			skip: func(_ time.Duration, _ int, s Skip) { why = append(why, s) }}
		w.jobs <- job[int]{}
		time.Sleep(26 * ms)
		w.inFlight.Add(1)
		w.ended.Go(w.work)
		w.wait()
		if !slices.Equal(why, []Skip{SkipOverdue}) || w.inFlight.Load() != 0 {
			t.Errorf("skipped %v, %d in flight", why, w.inFlight.Load())
		}
	})
}

func TestRule(t *testing.T) {
	s := Sender{InFlight: 2, Overdue: 25 * ms}
	for _, tt := range []struct {
		late     time.Duration
		inFlight int
		want     string
	}{
		{0, 0, "sent"},
		{25 * ms, 1, "sent"},
		{25*ms + 1, 1, "late"},
		{0, 2, "in_flight"},
		{time.Second, 2, "late"},
	} {
		if got := s.rule(tt.late, tt.inFlight).String(); got != tt.want {
			t.Errorf("%s late, %d in flight: %s, want %s", tt.late, tt.inFlight, got, tt.want)
		}
	}
}

// TestBreath: a few wake-ups at any time, and from then on no more than one in
// each 250 us, with all that is due by then.
func TestBreath(t *testing.T) {
	const us = time.Microsecond
	var b breath
	now, woken := time.Duration(0), 0
	for due := time.Duration(0); due < 100*ms; due += 50 * us {
		for d := b.rest(now, due); d > 0; d = b.rest(now, due) {
			now += d
			b.woke(now)
			woken++
		}
		if now < due || now-due > breathing {
			t.Fatalf("due at %s, sent at %s", due, now)
		}
	}
	if woken < 390 || woken > 420 {
		t.Errorf("%d wake-ups in 100 ms, want about 400", woken)
	}
	if got := b.rest(time.Second, 1001*ms); got != ms {
		t.Errorf("after a rest it rests for %s, want until the next is due", got)
	}
}

func TestAlarm(t *testing.T) {
	a, err := NewAlarm()
	if err != nil {
		t.Fatal(err)
	}
	var sent atomic.Int64
	Send(t.Context(), Sender{InFlight: 1 << 10, Overdue: time.Hour, Wake: a.In}, time.Now(), steady(1000, 50),
		func(time.Duration, int) { sent.Add(1) }, func(time.Duration, int, Skip) { t.Error("skipped") })
	if err := a.Close(); err != nil || sent.Load() != 50 {
		t.Errorf("%d sent, %v", sent.Load(), err)
	}
}
