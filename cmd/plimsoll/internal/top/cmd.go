package top

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/alecthomas/kong"
	"golang.org/x/term"

	"github.com/plimsoll-go/plimsoll/cmd/plimsoll/internal/admin"
	"github.com/plimsoll-go/plimsoll/cmd/plimsoll/internal/strict"
	"github.com/plimsoll-go/plimsoll/cmd/plimsoll/internal/telemetry"
)

// Cmd is the command line of "plimsoll top".
type Cmd struct {
	Admin    string        `arg:"" placeholder:"ADMIN" help:"The proxy's admin port, such as 127.0.0.1:9090."`
	Interval time.Duration `default:"1s" placeholder:"DURATION" help:"Time between two looks. Default: 1s."`
	Once     bool          `help:"Print what went on in one interval, and end."`
	JSON     bool          `name:"json" help:"Print a line of JSON for each interval."`
}

// Help is the longer text of "plimsoll top --help".
func (c *Cmd) Help() string {
	return `Shows what a proxy does, refreshed every interval: goodput beside throughput
and offered load, who is refused and why, waits, limits, queues, routes and
upstreams. Where the output is no terminal, it prints one line a gate and
interval. NO_COLOR switches colours off.

Example:
  plimsoll top 127.0.0.1:9090
  plimsoll top 127.0.0.1:9090 --once --json`
}

// Check returns every fault of the command line.
func (c *Cmd) Check() error {
	var faults strict.Faults
	if _, err := admin.Parse(c.Admin); err != nil {
		faults = append(faults, strict.Fault{Key: "<admin>", Want: err.Error()})
	}
	if c.Interval < 100*time.Millisecond || c.Interval > time.Hour {
		faults = append(faults, strict.Fault{Key: "--interval", Want: fmt.Sprintf("want a duration from 100ms to 1h, have %s", c.Interval)})
	}
	return faults.Err()
}

// Run shows the proxy until a signal comes.
func (c *Cmd) Run(k *kong.Kong) error {
	if err := c.Check(); err != nil {
		return err
	}
	port, err := admin.Parse(c.Admin)
	if err != nil {
		return err
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	return c.show(ctx, port.Status, screenOf(k.Stdout))
}

// screen is where the pictures go.
type screen struct {
	out      io.Writer
	terminal int // its descriptor; -1: it is none
	colour   bool
}

func screenOf(out io.Writer) screen {
	s := screen{out: out, terminal: -1}
	if f, ok := out.(*os.File); ok && term.IsTerminal(int(f.Fd())) {
		s.terminal = int(f.Fd())
		s.colour = os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb"
	}
	return s
}

// plainWidth is the width of a picture that goes to no terminal.
const plainWidth = 120

// size is that of the terminal, or one that fits a line and never ends.
func (s screen) size() (width, height int) {
	if s.terminal >= 0 {
		if w, h, err := term.GetSize(s.terminal); err == nil && w > 0 && h > 0 {
			return w, h
		}
	}
	return plainWidth, 0
}

// show looks at the proxy in intervals. A look that fails ends it only if it is
// the first: a proxy may be restarted.
func (c *Cmd) show(ctx context.Context, look func(context.Context) (telemetry.Status, error), s screen) error {
	was, err := look(ctx)
	if err != nil {
		return err
	}
	live := s.terminal >= 0 && !c.Once && !c.JSON
	if live {
		fmt.Fprint(s.out, "\x1b[?1049h\x1b[?25l") // another screen, no cursor
		defer fmt.Fprint(s.out, "\x1b[?25h\x1b[?1049l")
	}
	past := history{most: 500}
	tick := time.NewTicker(c.Interval)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-tick.C:
		}
		is, err := look(ctx)
		switch {
		case ctx.Err() != nil:
			return nil
		case err != nil && c.Once:
			return err
		case err != nil:
			if err := s.draw(live, []string{err.Error()}); err != nil {
				return err
			}
			continue
		}
		b := Compute(was, is)
		was = is
		total := 0.0
		for i := range b.Gates {
			total += b.Gates[i].All.Goodput
		}
		past.add(total)
		if err := c.print(&b, past.values, s, live); err != nil || c.Once {
			return err
		}
	}
}

// print shows one interval.
func (c *Cmd) print(b *Between, past []float64, s screen, live bool) error {
	switch {
	case c.JSON:
		return json.NewEncoder(s.out).Encode(b)
	case live || c.Once:
		width, _ := s.size()
		return s.draw(live, picture(b, past, width, style{s.colour}))
	}
	return s.draw(false, plain(b))
}

// draw writes lines: over the last ones on a live screen, as many as it has
// room for, and below them otherwise.
func (s screen) draw(live bool, lines []string) error {
	w := bufio.NewWriter(s.out)
	if live {
		if _, height := s.size(); len(lines) > height {
			lines = lines[:height]
		}
		fmt.Fprint(w, "\x1b[H")
		for i, l := range lines {
			if i > 0 {
				fmt.Fprint(w, "\r\n")
			}
			fmt.Fprint(w, l, "\x1b[K")
		}
		fmt.Fprint(w, "\x1b[J")
		return w.Flush()
	}
	for _, l := range lines {
		fmt.Fprintln(w, l)
	}
	return w.Flush()
}
