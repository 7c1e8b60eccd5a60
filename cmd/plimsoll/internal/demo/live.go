package demo

import (
	"fmt"
	"io"
	"os"
	"sync/atomic"
	"time"

	"github.com/plimsoll-go/plimsoll/cmd/plimsoll/internal/openloop"
)

// gauges are the counters that the live line reads while a run goes on.
type gauges struct {
	offered  atomic.Int64 // logical requests sent
	attempts atomic.Int64
	ended    [openloop.Outcomes]atomic.Int64 // logical requests, by outcome
}

// live shows how a run goes, several times a second: on a terminal in one line
// that is redrawn, elsewhere as one plain line a second.
type live struct {
	out      io.Writer
	terminal bool
}

func newLive(f *os.File) *live {
	info, err := f.Stat()
	return &live{out: f, terminal: err == nil && info.Mode()&os.ModeCharDevice != 0}
}

// note shows a line of its own.
func (l *live) note(format string, args ...any) { fmt.Fprintf(l.out, format+"\n", args...) }

// redraws is how often a second a terminal's line changes.
const redraws = 4

// reading is what the counters stood at.
type reading struct {
	at                                       time.Time
	offered, attempts, good, refused, served int64
}

func read(g *gauges, b *backend) reading {
	return reading{
		at:       time.Now(),
		offered:  g.offered.Load(),
		attempts: g.attempts.Load(),
		good:     g.ended[openloop.Good].Load(),
		refused:  g.ended[openloop.Refused].Load(),
		served:   b.completed.Load(),
	}
}

// follow shows what is played until done. Its rates are those of the last second.
func (l *live) follow(done <-chan struct{}, phases []phase, g *gauges, b *backend) {
	start := time.Now()
	past := [redraws]reading{}
	for i := range past {
		past[i] = read(g, b)
	}
	tick := time.NewTicker(time.Second / redraws)
	defer tick.Stop()
	for n := 1; ; n++ {
		select {
		case <-done:
			if l.terminal {
				fmt.Fprint(l.out, "\r\x1b[K")
			}
			return
		case <-tick.C:
		}
		now := read(g, b)
		line := status(phases, now.at.Sub(start), past[n%redraws], now, b.backlog())
		past[n%redraws] = now
		switch {
		case l.terminal:
			fmt.Fprintf(l.out, "\r%s\x1b[K", line)
		case n%redraws == 0:
			fmt.Fprintln(l.out, line)
		}
	}
}

// status is the live line, in fewer than 80 columns. Good, refused and the
// server's own rate stand side by side because their difference is the story.
func status(phases []phase, at time.Duration, then, now reading, backlog int) string {
	name := "draining"
	if i, ok := phaseAt(phases, at); ok {
		name = phases[i].name
	}
	rate := func(then, now int64, since time.Duration) int {
		return int(float64(now-then)/since.Seconds() + 0.5)
	}
	since := now.at.Sub(then.at)
	return fmt.Sprintf("%3.0fs %-8s per second: offered %d tries %d done %d good %d  queue %d",
		at.Seconds(), name,
		rate(then.offered, now.offered, since), rate(then.attempts, now.attempts, since),
		rate(then.served, now.served, since), rate(then.good, now.good, since), backlog)
}

func title(gate bool) string {
	if gate {
		return "Through plimsoll proxy, default settings"
	}
	return "Bare"
}
