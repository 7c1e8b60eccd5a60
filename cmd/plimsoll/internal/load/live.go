package load

import (
	"fmt"
	"io"
	"os"
	"sync"
	"time"

	"golang.org/x/term"

	"github.com/plimsoll-go/plimsoll/cmd/plimsoll/internal/format"
	"github.com/plimsoll-go/plimsoll/cmd/plimsoll/internal/result"
	"github.com/plimsoll-go/plimsoll/cmd/plimsoll/internal/tally"
)

// live says once a second how a run goes: on a terminal in one line that is
// redrawn, elsewhere in a line of its own.
type live struct {
	out      io.Writer
	terminal *os.File // nil: none
	stop     chan struct{}
	ended    sync.WaitGroup
}

func newLive(out io.Writer) *live {
	l := &live{out: out, stop: make(chan struct{})}
	if f, ok := out.(*os.File); ok && term.IsTerminal(int(f.Fd())) {
		l.terminal = f
	}
	return l
}

// follow begins to.
func (l *live) follow(of *tally.Tally, start time.Time) {
	l.ended.Go(func() {
		t := time.NewTicker(time.Second)
		defer t.Stop()
		last := tally.Snapshot{}
		for {
			select {
			case <-l.stop:
				if l.terminal != nil {
					fmt.Fprint(l.out, "\r\x1b[K")
				}
				return
			case <-t.C:
				s := of.Live(time.Since(start))
				l.line(secondOf(&last, &s))
				last = s
			}
		}
	})
}

// end takes the line away. It may be called when nothing was followed.
func (l *live) end() {
	close(l.stop)
	l.ended.Wait()
}

func (l *live) line(text string) {
	if l.terminal == nil {
		fmt.Fprintln(l.out, text)
		return
	}
	if width, _, err := term.GetSize(int(l.terminal.Fd())); err == nil {
		text = fit(text, width)
	}
	fmt.Fprintf(l.out, "\r%s\x1b[K", text)
}

// fit cuts a text to what a line of a terminal has room for: one that is longer
// would go on in another line, and stay there.
func fit(text string, width int) string {
	runes := []rune(text)
	if width > 0 && len(runes) >= width {
		return string(runes[:width-1])
	}
	return text
}

// secondOf is what has happened between two snapshots.
func secondOf(before, after *tally.Snapshot) string {
	seconds := (after.At - before.At).Seconds()
	if seconds <= 0 {
		seconds = 1
	}
	a, b := &after.All, &before.All
	rate := func(after, before int64) string { return format.Rate(float64(after-before) / seconds) }
	text := fmt.Sprintf("%3.0f s  due %s/s  good %s/s", after.At.Seconds(), rate(a.Offered, b.Offered), rate(a.Good, b.Good))
	for _, part := range []struct {
		name          string
		after, before int64
	}{
		{"refused", result.Sum(a.Refused), result.Sum(b.Refused)},
		{"late", a.Late, b.Late},
		{"failed", result.Sum(a.Failed), result.Sum(b.Failed)},
		{"not sent", result.Sum(a.Skipped), result.Sum(b.Skipped)},
	} {
		if part.after > part.before {
			text += fmt.Sprintf("  %s %s/s", part.name, rate(part.after, part.before))
		}
	}
	return text + fmt.Sprintf("  open %d  p50 %s  p99 %s", a.Open, format.Wait(a.P50), format.Wait(a.P99))
}
