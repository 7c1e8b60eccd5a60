package simulate

import (
	"fmt"
	"io"
	"os"
	"sync"
	"time"
)

// patience is how long nothing is said, and pace how often afterwards.
const (
	patience = 2 * time.Second
	pace     = 250 * time.Millisecond
)

// progress says on a terminal how far runs have come, in a line that is
// redrawn, once it takes longer than anybody waits without wondering.
type progress struct {
	lock  sync.Mutex
	done  int
	of    int
	began time.Time
	stop  chan struct{}
	ended sync.WaitGroup
}

// follow begins to show progress, if w is a terminal.
func follow(w io.Writer, of int) *progress {
	p := &progress{of: of, began: time.Now(), stop: make(chan struct{})}
	if f, ok := w.(*os.File); ok && terminal(f) {
		p.ended.Go(func() { p.show(f) })
	}
	return p
}

func terminal(f *os.File) bool {
	info, err := f.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0
}

// step is one run that has ended.
func (p *progress) step() {
	p.lock.Lock()
	p.done++
	p.lock.Unlock()
}

// more says how far further runs have come, after those that have ended.
func (p *progress) more() func(done, of int) {
	p.lock.Lock()
	defer p.lock.Unlock()
	before := p.done
	return func(done, of int) {
		p.lock.Lock()
		defer p.lock.Unlock()
		p.done, p.of = before+done, before+of
	}
}

// end takes the line away.
func (p *progress) end() {
	close(p.stop)
	p.ended.Wait()
}

func (p *progress) show(w io.Writer) {
	t := time.NewTicker(pace)
	defer t.Stop()
	shown := false
	for {
		select {
		case <-p.stop:
			if shown {
				fmt.Fprint(w, "\r\x1b[K")
			}
			return
		case <-t.C:
			if time.Since(p.began) >= patience {
				fmt.Fprintf(w, "\r%s\x1b[K", p.line())
				shown = true
			}
		}
	}
}

func (p *progress) line() string {
	p.lock.Lock()
	defer p.lock.Unlock()
	return fmt.Sprintf("%d of %d runs, %.0f s", p.done, p.of, time.Since(p.began).Seconds())
}
