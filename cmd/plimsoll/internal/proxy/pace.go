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
	timer   *time.Timer
	reading bool
	slow    bool
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
		b.reading = true
		b.cut()
		return 0, errSlow
	}
	b.start(most)
	began := time.Now()
	n, err := b.ReadCloser.Read(p)
	b.waited += time.Since(began)
	b.got += int64(n)
	if b.stop() && err != nil && err != io.EOF {
		err = errSlow
	}
	return n, err
}

// Close closes the body. A read that is under way on another goroutine ends at
// once, or closing would wait for the sender's next byte; and what net/http
// reads on, so that the connection can be kept, is bounded as any read.
func (b *pacedBody) Close() error {
	b.interrupt()
	b.start(max(0, b.pace.allowance(0, 0)))
	defer b.stop()
	return b.ReadCloser.Close()
}

// interrupt ends a read that is under way.
func (b *pacedBody) interrupt() {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.reading {
		b.endReadLocked()
	}
}

// start lets the time of one read run.
func (b *pacedBody) start(most time.Duration) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.reading = true
	if b.timer == nil {
		b.timer = time.AfterFunc(most, b.cut)
	} else {
		b.timer.Reset(most)
	}
}

// stop ends it, and reports whether the read was cut.
func (b *pacedBody) stop() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.reading = false
	b.timer.Stop()
	return b.slow
}

// cut ends the read that is under way, by the connection's deadline: nothing
// else does.
func (b *pacedBody) cut() {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.reading {
		b.slow = true
		b.endReadLocked()
	}
}

// endReadLocked ends whatever reads from the connection, for good. It needs
// b.mu.
func (b *pacedBody) endReadLocked() {
	_ = http.NewResponseController(b.w).SetReadDeadline(time.Unix(1, 0)) // a connection that is gone is as well
}

// wasSlow reports whether a read was cut.
func (b *pacedBody) wasSlow() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.slow
}
