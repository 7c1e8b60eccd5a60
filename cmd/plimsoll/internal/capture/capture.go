package capture

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"github.com/plimsoll-go/plimsoll/httpgate"
)

// Capture writes down what arrives. Make one with [New]; it may be used
// concurrently.
type Capture struct {
	config Config
	names  *pseudonyms
	buffer buffer
	wake   chan struct{} // there is much to write
	stop   chan struct{}
	done   chan struct{} // all is written, and the file closed
	status atomic.Pointer[Status]
	out    *output
	begin  sync.Once
}

// batch is how many requests are moved out of the buffer at once.
const batch = 256

// New returns a capture that keeps what arrives, and writes nothing until it is
// started.
func New(c Config) *Capture { return on(disk{}, c, places) }

func on(s storage, c Config, places int) *Capture {
	out := &Capture{
		config: c, names: newPseudonyms(c.Key),
		buffer: buffer{began: time.Now(), entries: make([]entry, places)},
		wake:   make(chan struct{}, 1), stop: make(chan struct{}), done: make(chan struct{}),
	}
	out.out = &output{Config: c, storage: s, began: out.buffer.began, tenants: texts{}}
	out.status.Store(&Status{File: c.File})
	return out
}

// Start has the capture written, as soon as the one before it has ended; nil:
// there is none. It never fails: what is wrong with the file is told, and tried
// again. A second call does nothing.
func (c *Capture) Start(before *Capture) {
	c.begin.Do(func() { go c.run(before) })
}

// Of is what writes down the requests of one kind, whose name gets into the
// trace as it is.
func (c *Capture) Of(kind string) httpgate.Witness { return &witness{c, kind} }

// witness is the requests of one kind.
type witness struct {
	*Capture
	kind string
}

// Arrived writes down a request, as far as it is known.
func (w *witness) Arrived(a httpgate.Arrived) (mark uint64) {
	mark, pressing := w.buffer.put(entry{
		asked: a.Asked, cost: int64(a.Cost), tenant: w.names.of(a.Tenant), kind: w.kind,
		criticality: a.Criticality, level: a.Level,
		ended: a.Stream, // how long it stays open says nothing of how long it is served
	})
	if mark == 0 {
		w.config.Counts.Dropped.Add(1)
	} else if pressing {
		select {
		case w.wake <- struct{}{}:
		default: // it has been woken
		}
	}
	return mark
}

// Left adds how long it was served.
func (w *witness) Left(mark uint64, served time.Duration) {
	if mark != 0 {
		w.buffer.end(mark, served)
	}
}

// run writes until the capture is closed.
func (c *Capture) run(before *Capture) {
	defer close(c.done)
	out := c.out
	if before != nil {
		<-before.done
	}
	out.open()
	c.tell(out)
	tick := time.NewTicker(time.Second)
	defer tick.Stop()
	var taken [batch]entry
	for closing := false; !closing; {
		select {
		case <-tick.C:
			out.look()
		case <-c.wake:
		case <-c.stop:
			closing = true
		}
		for n := -1; n != 0; {
			n = c.buffer.take(taken[:], closing)
			out.write(taken[:n])
		}
		c.tell(out)
	}
	out.close()
	c.buffer.free() // whoever is still served knows this capture for as long as that takes
	counts := c.config.Counts
	c.config.Log.Info("recorded", "file", c.config.File,
		"written", counts.Written.Load(), "dropped", counts.Dropped.Load(), "lost", counts.Lost.Load())
}

// tell is what Status says from now on.
func (c *Capture) tell(out *output) {
	now := out.status()
	c.status.Store(&now)
}

// Status is what the capture looks like now.
func (c *Capture) Status() Status { return *c.status.Load() }

// End takes no further requests and has what has come written, with or without
// its end. It is called once, after Start.
func (c *Capture) End() {
	c.buffer.close()
	close(c.stop)
}

// Ended waits until all is written, or ctx is done.
func (c *Capture) Ended(ctx context.Context) error {
	select {
	case <-c.done:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
