package checkout

import (
	"fmt"
	"io"
	"os"
	"strings"
	"time"
)

// live shows how the story goes: on a terminal in one line that is redrawn,
// elsewhere as one plain line a second.
type live struct {
	out      io.Writer
	terminal bool
	lines    int
}

func newLive(f *os.File) *live {
	info, err := f.Stat()
	return &live{out: f, terminal: err == nil && info.Mode()&os.ModeCharDevice != 0}
}

// note shows a line of its own.
func (l *live) note(format string, args ...any) {
	l.done()
	fmt.Fprintf(l.out, format+"\n", args...)
}

// line shows how a step goes. It is called four times a second.
func (l *live) line(role string, s step, at time.Duration, pages float64, now status) {
	text := fmt.Sprintf("%-6s %4.0fs  offered %.0f/s, made %.0f/s", role, at.Seconds(), s.rate, pages)
	if now.Limit > 0 {
		text += fmt.Sprintf(", limit %d, waiting %d", now.Limit, now.Waiting)
	}
	if len(now.Tiers) > 0 {
		text += ", without " + strings.Join(now.Tiers, ", ")
	}
	l.lines++
	switch {
	case l.terminal:
		fmt.Fprintf(l.out, "\r%.79s\x1b[K", text)
	case l.lines%4 == 0:
		fmt.Fprintln(l.out, text)
	}
}

// done clears the line.
func (l *live) done() {
	if l.terminal {
		fmt.Fprint(l.out, "\r\x1b[K")
	}
}
