package breaker

import (
	"time"

	"github.com/plimsoll-go/plimsoll/class"
	"github.com/plimsoll-go/plimsoll/stats"
)

// Breaker holds back attempts for one destination while those sent fail
// (Nygard, "Release It!", 2007). Closed, it lets all pass and counts how they
// end. After too many failures, or too many slow ones, it is open and lets none
// pass, for so long; then half-open, it lets a few pass, its probes: if all of
// them succeed it closes, if one fails or is slow it is open again. Closed
// again, it lets more and more pass, over the Ramp.
//
// What becomes of an attempt counts only in the state that it was sent in. A
// probe that ends without a verdict gives its place to another, as do all of
// them when nothing is heard of some for as long as the breaker was open.
//
// It is not safe for concurrent use.
type Breaker struct {
	config Config
	state  State
	now    time.Duration // the latest it was told
	term   uint32        // goes up with every change of state

	row    int          // closed: failures since a success
	recent stats.Recent // closed: verdicts, failures, slow ones
	flying flying       // closed and half-open, where there is a Slow

	since  time.Duration // when it entered its state
	until  time.Duration // open: when it is half-open; half-open: how long it waits for its probes
	places int           // half-open: probes that may still pass
	well   int           // half-open: probes that have succeeded

	ramping bool
	credit  float64 // closed, on the ramp: of the next attempt

	held, stale, opened uint64
	why                 Why // it opened last
}

// State is what a [Breaker] is.
type State uint8

// The states.
const (
	Closed   State = iota // lets attempts pass
	Open                  // lets none pass
	HalfOpen              // lets a few probes pass
)

var stateNames = [...]string{"closed", "open", "half_open"}

// String returns the state as metrics have it.
func (s State) String() string {
	if int(s) < len(stateNames) {
		return stateNames[s]
	}
	return "unknown"
}

// Verdict is what an attempt says of the health of its destination.
type Verdict uint8

// The verdicts.
const (
	// Success is an answer that the destination gave in time.
	Success Verdict = iota
	// Failure is an error, a panic, no connection, or no answer in time.
	Failure
	// Ignored says nothing: the destination refused as it has too much to do,
	// the caller hung up, or the attempt was not sent after all.
	Ignored
)

// Ticket is an attempt that has passed. It is a value, of use to the [Breaker]
// that gave it.
type Ticket struct {
	term uint32
	sent time.Duration
}

// What a breaker counts while it is closed.
const (
	verdicts = iota
	failures
	slow
)

// New returns a breaker that is closed.
func New(c Config) *Breaker {
	b := new(Breaker)
	b.init(c)
	return b
}

func (b *Breaker) init(c Config) {
	c = c.resolved()
	*b = Breaker{config: c, recent: stats.Recent{Window: c.Window}, flying: flying{slow: c.Slow}}
}

// Pass reports whether an attempt is sent, with the ticket for [Breaker.Done],
// or after what time to ask again.
func (b *Breaker) Pass(now time.Duration) (t Ticket, wait time.Duration, ok bool) {
	b.advance(now)
	if wait, ok = b.hold(); !ok {
		b.held++
		return Ticket{}, wait, false
	}
	if b.state == HalfOpen {
		b.places--
	}
	b.flying.sent(b.now)
	return Ticket{b.term, b.now}, 0, true
}

// advance does what time alone does.
func (b *Breaker) advance(now time.Duration) {
	b.now = max(b.now, now)
	overdue := b.flying.overdue(b.now)
	switch {
	case b.state == Closed:
		if overdue > 0 {
			b.judge()
		}
	case b.state == HalfOpen && overdue > 0:
		b.open(Why{ProbeSlow, 1, 1})
	case b.now >= b.until && (b.state == Open || b.places == 0):
		b.enter(HalfOpen)
	}
}

// hold reports whether an attempt may pass, or after what time to ask again.
func (b *Breaker) hold() (wait time.Duration, ok bool) {
	switch {
	case b.state == Closed && b.ramping:
		return b.climb()
	case b.state == Closed:
		return 0, true
	case b.state == Open || b.places == 0:
		return b.until - b.now, false
	}
	return 0, true
}

// Done is what became of an attempt that has passed; it is called once for
// each. What was sent in an older state changes nothing.
func (b *Breaker) Done(now time.Duration, t Ticket, v Verdict) {
	b.now = max(b.now, now)
	if t.term != b.term {
		b.stale++
		return
	}
	late := b.flying.done(b.now, t.sent)
	switch {
	case b.state == HalfOpen:
		b.probed(v, late)
	case v != Ignored:
		b.counted(v, late)
	}
}

// counted is an attempt, sent while closed, that says how its destination is.
func (b *Breaker) counted(v Verdict, late bool) {
	if v == Failure {
		b.row++
		b.recent.Count(b.now, failures)
	} else {
		b.row = 0
	}
	if late {
		b.recent.Count(b.now, slow)
	}
	b.recent.Count(b.now, verdicts)
	b.judge()
}

// probed is what became of a probe.
func (b *Breaker) probed(v Verdict, late bool) {
	if b.places+b.well >= b.config.Probes {
		panic("breaker: Done was called twice for an attempt")
	}
	switch {
	case v == Ignored:
		b.places++
	case v == Failure:
		b.open(Why{ProbeFailed, 1, 1})
	case late:
		b.open(Why{ProbeSlow, 1, 1})
	default:
		if b.well++; b.well == b.config.Probes {
			b.enter(Closed)
			b.ramping = b.config.Ramp > 0
		}
	}
}

// judge opens where too many attempts were bad. Those that have not ended and
// are slow already count as slow ones that have.
func (b *Breaker) judge() {
	c, hang := &b.config, b.flying.overdue(b.now)
	n, bad := b.recent.Sum(b.now, verdicts), b.recent.Sum(b.now, failures)
	switch {
	case c.Failures > 0 && b.row >= c.Failures:
		b.open(Why{InRow, uint64(b.row), 0})
		return
	case c.Share > 0 && n >= uint64(c.Samples) && float64(bad) >= float64(c.Share*float64(n)):
		b.open(Why{TooManyFail, bad, n})
		return
	case c.Slow == 0:
		return
	}
	n += hang
	if late := b.recent.Sum(b.now, slow) + hang; n >= uint64(c.Samples) && float64(late) >= float64(c.SlowShare*float64(n)) {
		b.open(Why{TooManySlow, late, n})
	}
}

func (b *Breaker) open(w Why) {
	b.why = w
	b.opened++
	b.enter(Open)
}

func (b *Breaker) enter(s State) {
	b.state, b.since, b.until = s, b.now, class.At(b.now, b.config.Open)
	b.term++
	b.row = 0
	b.recent.Forget()
	b.flying.forget()
	b.places, b.well = b.config.Probes, 0
	b.ramping, b.credit = false, 0
}
