package plimsoll

import (
	"sync"
	"sync/atomic"
	"time"

	"github.com/plimsoll-go/plimsoll/internal/core"
	"github.com/plimsoll-go/plimsoll/ladder"
	"github.com/plimsoll-go/plimsoll/stats"
)

// Gate admits, queues or refuses work. Make one with [New], the zero Gate is
// none; its methods may be used concurrently. [Gate.Do] is for work that is a
// function, [Gate.Acquire] for work that is not, [Gate.TryAcquire] for callers
// that never wait.
//
// A gate has no goroutine of its own. While it is in use one timer is armed;
// at rest there is none, so a gate that is dropped is simply collected.
type Gate struct {
	name    string
	epoch   time.Time // what the machine's times count from
	maxHold time.Duration
	word    *core.Word
	stripes []stripe
	refusals
	counters *counters
	book     atomic.Pointer[ladder.Book] // nil: there are no tiers
	onTier   func(TierChange)
	retry    atomic.Int32 // the bucket of word.Retry, worked out once a change

	_       [64]byte // what is above is read by everybody, what is below is written
	mu      sync.Mutex
	machine *core.Machine
	config  core.Config
	timer   *time.Timer
	seats   seats         // of those that the machine rules on
	turn    uint64        // of refusals, for jitter
	hint    time.Duration // what retry was worked out from
	armed   time.Duration // when the timer fires; core.Never: it does not
	idle    chan struct{} // closed when a closing gate holds nothing; nil: not closing
	tally   core.Tally    // scratch of foldLocked
	trimmed time.Duration // when the free lists were last trimmed
	untold  []ladder.Transition
	telling bool // a goroutine tells of what is untold
}

// New returns a gate, or every fault of its configuration at once.
func New(c Config) (*Gate, error) {
	if err := c.Validate(); err != nil {
		return nil, err
	}
	r := c.resolved()
	m := core.New(r)
	g := &Gate{
		name:     c.Name,
		epoch:    time.Now(),
		maxHold:  c.MaxHold,
		word:     m.Word(),
		stripes:  newStripes(),
		counters: new(counters),
		machine:  m,
		config:   r,
		armed:    core.Never,
		onTier:   c.OnTier,
	}
	g.rebook(r.Ladder)
	if g.name == "" {
		g.name = "gate"
	}
	if g.maxHold == 0 {
		g.maxHold = DefaultMaxHold
	}
	g.refusals.gate = g.name
	return g, nil
}

// now is the machine's time.
func (g *Gate) now() time.Duration { return time.Since(g.epoch) }

// settleLocked follows every call that ruled: it arms the timer where the
// machine wants to be called earlier, and says so when a closing gate has
// come to rest. It needs g.mu.
func (g *Gate) settleLocked(now time.Duration) {
	if at := g.machine.Next(); at < g.armed {
		g.armed = at
		if g.timer == nil {
			g.timer = time.AfterFunc(at-now, g.tick)
		} else {
			g.timer.Reset(at - now)
		}
	}
	if hint := g.word.Retry(); hint != g.hint {
		g.hint = hint
		g.retry.Store(int32(stats.BucketOf(hint)))
	}
	if news := g.machine.Transitions(); news != nil {
		g.tellLocked(news)
	}
	if g.idle != nil {
		g.checkIdleLocked()
	}
}

// tick is the timer's: it lets the machine do what is due.
func (g *Gate) tick() {
	moved, trim := g.advance()
	wake(moved)
	if trim {
		for i := range g.stripes {
			g.stripes[i].trim()
		}
	}
}

// advance is the locked part of tick.
func (g *Gate) advance() (moved *core.Waiter, trim bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	now := g.now()
	g.armed = core.Never
	g.foldLocked()
	moved = g.machine.Advance(now)
	g.settleLocked(now)
	if trim = now-g.trimmed >= trimEvery; trim {
		g.trimmed = now
		g.seats.trim()
	}
	return moved, trim
}

// trimEvery is how often the free lists follow the recent peak down.
const trimEvery = 10 * time.Second

// foldLocked hands the machine what the fast paths did. It needs g.mu.
func (g *Gate) foldLocked() {
	t := &g.tally
	*t = core.Tally{}
	some := g.counters.drain(t)
	for i := range g.stripes {
		some = g.stripes[i].drain(t) || some
	}
	if some {
		g.machine.Fold(t)
	}
}

// wake tells those that a call has moved. Each waits for exactly one token.
func wake(moved *core.Waiter) {
	for w := moved; w != nil; {
		s := w.Shell.(*seat)
		w = w.Next() // before the token: after it the seat is its owner's
		s.wake <- struct{}{}
	}
}
