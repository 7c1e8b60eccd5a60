package openloop

import (
	"context"
	"time"
)

// A wake-up of an idle core costs about as much as a request. There are no more
// than one for each breathing, on average, and a few at once: at rates where
// more than one request is due within it, those go together.
const (
	breathing = 250 * time.Microsecond
	breaths   = 8
)

// breath says when to wake up next. It is when the wake-ups so far would have
// been, had they come at their pace (the generic cell rate algorithm, ITU-T
// I.371).
type breath time.Duration

// rest is how long to rest at now before what is due then; 0: it goes at once.
func (b breath) rest(now, due time.Duration) time.Duration {
	if due <= now {
		return 0
	}
	return max(due, time.Duration(b)-breaths*breathing) - now
}

// woke is a wake-up at now.
func (b *breath) woke(now time.Duration) { *b = max(*b, breath(now)) + breath(breathing) }

// pauser is a timer that is used again and again.
type pauser struct {
	timer *time.Timer
	wake  func(time.Duration)
}

func newPause(wake func(time.Duration)) *pauser {
	t := time.NewTimer(time.Hour)
	t.Stop()
	return &pauser{t, wake}
}

// pause waits for d; false: ctx was done first.
func (p *pauser) pause(ctx context.Context, d time.Duration) bool {
	p.timer.Reset(d)
	if p.wake != nil {
		p.wake(d)
	}
	select {
	case <-p.timer.C:
		return true
	case <-ctx.Done():
		return false
	}
}

func (p *pauser) stop() { p.timer.Stop() }
