// Package progress says on a terminal how far runs have come, in one line that
// is redrawn. Where there is no terminal it says nothing.
package progress

import (
	"fmt"
	"io"
	"os"
	"sync"
	"time"
)

// patience is how long nothing is said: for as long as anybody waits without
// wondering. pace is how often the line is redrawn from then on.
const (
	patience = 2 * time.Second
	pace     = 250 * time.Millisecond
)

// Line is the line. It may be told of runs by several goroutines at once.
type Line struct {
	lock  sync.Mutex
	label string // of what is being done; empty: that goes without saying
	done  int
	of    int
	began time.Time
	stop  chan struct{}
	ended sync.WaitGroup
}

// Follow begins to show how many of so many runs have ended, if w is a
// terminal. The line has to be ended.
func Follow(w io.Writer, of int) *Line {
	l := &Line{of: of, began: time.Now(), stop: make(chan struct{})}
	if f, ok := w.(*os.File); ok && terminal(f) {
		l.ended.Go(func() { l.show(f) })
	}
	return l
}

func terminal(f *os.File) bool {
	info, err := f.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0
}

// Step is one run that has ended.
func (l *Line) Step() {
	l.lock.Lock()
	defer l.lock.Unlock()
	l.done++
}

// Part tells of further runs, which are part of something with this label and
// which nobody has counted before.
func (l *Line) Part(label string) func(done, of int) {
	l.lock.Lock()
	defer l.lock.Unlock()
	before := l.done
	return func(done, of int) {
		l.lock.Lock()
		defer l.lock.Unlock()
		l.label, l.done, l.of = label, before+done, before+of
	}
}

// End takes the line away.
func (l *Line) End() {
	close(l.stop)
	l.ended.Wait()
}

func (l *Line) show(w io.Writer) {
	t := time.NewTicker(pace)
	defer t.Stop()
	shown := false
	for {
		select {
		case <-l.stop:
			if shown {
				fmt.Fprint(w, "\r\x1b[K")
			}
			return
		case <-t.C:
			if time.Since(l.began) >= patience {
				fmt.Fprintf(w, "\r%s\x1b[K", l)
				shown = true
			}
		}
	}
}

// String is the line as it is now.
func (l *Line) String() string {
	l.lock.Lock()
	defer l.lock.Unlock()
	text := fmt.Sprintf("%d of %d runs, %.0f s", l.done, l.of, time.Since(l.began).Seconds())
	if l.label != "" {
		text = l.label + ": " + text
	}
	return text
}
