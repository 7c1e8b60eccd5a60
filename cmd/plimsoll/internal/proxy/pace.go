package proxy

import (
	"context"
	"errors"
	"io"
	"net/http"
	"sync"
	"time"

	"github.com/plimsoll-go/plimsoll/cmd/plimsoll/internal/config"
)

// errSlow is the error of a body that came too slowly.
var errSlow = errors.New("the request's body comes too slowly")

// pace is how slowly a body may come through one port.
type pace struct {
	pause time.Duration // the longest that it may stand still
	rate  float64       // bytes a second that it has to come at, once pause is over; 0: any
}

type paceKey struct{}

// withPace is the context of a port's requests.
func withPace(base context.Context, l config.Listener) context.Context {
	return context.WithValue(base, paceKey{}, &pace{l.BodyTimeout, float64(l.MinBodyRate)})
}

// allowance is how long a body may stand still that has brought n bytes, and
// has been waited for so long already.
func (p *pace) allowance(n int64, waited time.Duration) time.Duration {
	if p.rate == 0 {
		return p.pause
	}
	earned := float64(n) / p.rate * float64(time.Second)
	return min(p.pause, p.pause+time.Duration(min(earned, float64(time.Hour)))-waited)
}

// pacedBody is the body of a request that ends with errSlow when it comes more
// slowly than its pace allows. Only the time in which it is waited for counts:
// a service that reads slowly is not the sender's fault.
type pacedBody struct {
	io.ReadCloser
	pace   *pace
	w      http.ResponseWriter // the server's own
	early  earlyBytes          // read already, to be read again
	end    error               // what follows them, if it is known
	got    int64
	waited time.Duration

	mu      sync.Mutex
	timer   *time.Timer // its time is moved only if a read would else go on too long
	armed   time.Time   // when it fires; zero: not at all
	until   time.Time   // when the read that is under way must have ended
	reading bool
	slow    bool
	over    bool // the body has ended
	served  bool // its request is
}

// Read reads on, and no longer than the pace allows.
func (b *pacedBody) Read(p []byte) (int, error) {
	if n := b.early.read(p); n > 0 {
		return n, nil
	}
	if b.end != nil {
		return 0, b.end
	}
	n, err := b.readOn(p, b.pace.allowance(b.got, b.waited))
	b.end = err
	return n, err
}

// readOn reads from the connection for so long at most.
func (b *pacedBody) readOn(p []byte, most time.Duration) (int, error) {
	if most <= 0 {
		b.giveUp()
		return 0, errSlow
	}
	began := time.Now()
	b.start(began, most)
	n, err := b.ReadCloser.Read(p)
	b.waited += time.Since(began)
	b.got += int64(n)
	if b.stop(err) && err != nil && err != io.EOF {
		err = errSlow
	}
	return n, err
}

// Close closes the body. A read that is under way on another goroutine ends at
// once, or closing would wait for the sender's next byte; and what net/http
// reads on, so that the connection can be kept, is bounded as any read.
func (b *pacedBody) Close() error {
	if b.interrupt() {
		return b.ReadCloser.Close() // nothing is left to read
	}
	b.start(time.Now(), max(0, b.pace.allowance(0, 0)))
	defer b.stop(io.EOF)
	return b.ReadCloser.Close()
}

// interrupt ends a read that is under way, and reports whether the body has
// ended.
func (b *pacedBody) interrupt() (over bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.reading {
		b.endReadLocked()
	}
	return b.over
}

// start lets the time of one read run.
func (b *pacedBody) start(now time.Time, most time.Duration) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.reading, b.until = true, now.Add(most)
	if b.armed.IsZero() || b.until.Before(b.armed) {
		b.armLocked(most)
	}
}

func (b *pacedBody) armLocked(after time.Duration) {
	b.armed = b.until
	if b.timer == nil {
		b.timer = time.AfterFunc(after, b.cut)
	} else {
		b.timer.Reset(after)
	}
}

// stop ends it, and reports whether the read was cut. Err is what the read has
// ended with.
func (b *pacedBody) stop(err error) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.reading = false
	b.over = b.over || err == io.EOF
	if err != nil || !b.served {
		b.restLocked()
	}
	return b.slow
}

// serve says that the request is served, until rest is called. Meanwhile the
// timer stays set between two reads.
func (b *pacedBody) serve() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.served = true
}

// rest lets go of the timer, which would keep a body that nobody reads any more
// until it fires.
func (b *pacedBody) rest() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.served = false
	b.restLocked()
}

func (b *pacedBody) restLocked() {
	if !b.armed.IsZero() {
		b.armed = time.Time{}
		b.timer.Stop()
	}
}

// giveUp cuts a read that has no time at all.
func (b *pacedBody) giveUp() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.slow = true
	b.endReadLocked()
}

// cut ends the read that is under way, by the connection's deadline: nothing
// else does.
func (b *pacedBody) cut() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.armed = time.Time{}
	if !b.reading {
		return
	}
	if left := time.Until(b.until); left > 0 {
		b.armLocked(left)
		return
	}
	b.slow = true
	b.endReadLocked()
}

// endReadLocked ends whatever reads from the connection, for good. It needs
// b.mu.
func (b *pacedBody) endReadLocked() {
	_ = http.NewResponseController(b.w).SetReadDeadline(time.Unix(1, 0)) // a connection that is gone is as well
}

// whole reports whether the end of the body has been read.
func (b *pacedBody) whole() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.over
}

// wasSlow reports whether a read was cut.
func (b *pacedBody) wasSlow() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.slow
}
