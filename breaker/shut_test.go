package breaker

import (
	"testing"
	"time"
)

// Shut says what Pass would, and takes nothing.
func TestShut(t *testing.T) {
	b := New(Config{Failures: 1, Open: 10 * time.Second})
	for _, step := range []struct {
		at   time.Duration
		do   func(now time.Duration)
		wait time.Duration
		shut bool
	}{
		{0, nil, 0, false},
		{time.Second, func(now time.Duration) { p, _, _ := b.Pass(now); b.Done(now, p, Failure) }, 10 * time.Second, true},
		{5 * time.Second, nil, 6 * time.Second, true},
		{0, nil, 6 * time.Second, true},                                                     // time does not run backwards
		{11 * time.Second, nil, 0, false},                                                   // the next is a probe
		{11 * time.Second, func(now time.Duration) { b.Pass(now) }, 10 * time.Second, true}, // which is under way
		{21 * time.Second, nil, 0, false},                                                   // and never returned
	} {
		if step.do != nil {
			step.do(step.at)
		}
		if wait, shut := b.Shut(step.at); shut != step.shut || shut && wait != step.wait {
			t.Errorf("at %s: %s, %v", step.at, wait, shut)
		}
		if s := b.Status(step.at); s.Held != 0 || s.Probes > 1 {
			t.Errorf("at %s: to look has taken something: %+v", step.at, s)
		}
	}
}

// A hang is found by whoever asks, though nobody passes.
func TestShutFindsAHang(t *testing.T) {
	b := New(Config{Slow: time.Second, Samples: 3})
	for range 3 {
		b.Pass(0)
	}
	for at, want := range map[time.Duration]bool{time.Second / 2: false, 9 * time.Second / 8: true} {
		other := *b
		if _, shut := other.Shut(at); shut != want {
			t.Errorf("at %s: %v", at, shut)
		}
	}
}
