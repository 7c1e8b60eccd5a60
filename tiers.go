package plimsoll

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/plimsoll-go/plimsoll/class"
	"github.com/plimsoll-go/plimsoll/internal/core"
	"github.com/plimsoll-go/plimsoll/ladder"
)

// Degraded is what the work is to be answered with: fewer parts, by the tiers of
// [Config.Ladder] that were on when it was admitted. The zero Decision is the
// full answer, as from every gate without tiers.
func (t Ticket) Degraded() ladder.Decision {
	if t.seat == nil || t.seat.stamp.Load() != t.stamp {
		panic("plimsoll: degraded of a released ticket")
	}
	return t.seat.core.Degraded()
}

// Context returns ctx with what [Ticket.Degraded] says, by which [ladder.Active]
// and [ladder.Do] go. Of a gate without tiers it is ctx itself. [Gate.Do] and
// httpgate hand it to what they run.
func (t Ticket) Context(ctx context.Context) context.Context {
	if t.gate == nil {
		panic("plimsoll: context of a zero ticket")
	}
	book := t.gate.book.Load()
	if book == nil {
		return ctx
	}
	return ladder.With(ctx, t.Degraded(), book)
}

// Decide says what a request of that criticality would be answered with if it
// were admitted now, and chooses some to be exercised, as the gate itself does. It
// is for answers that need no slot, and counts nothing. Of a gate without tiers it
// is the full answer.
func (g *Gate) Decide(c class.Criticality) ladder.Decision {
	p := g.word.Plan()
	if p == nil {
		return ladder.Decision{}
	}
	return p.Decide(c, g.stripe().draw())
}

// Override has a person switch a tier on or off, or give it back to the ladder
// with [ladder.Auto], whereupon its fallback is no longer known to fail. The
// error says which tiers there are.
func (g *Gate) Override(tier string, m ladder.Mode) error {
	if m > ladder.Off {
		return fmt.Errorf("plimsoll: Override: want auto, on or off, have %d", m)
	}
	if m == ladder.Auto {
		if b := g.book.Load(); b != nil {
			b.Forget(tier)
		}
	}
	if g.switchTier(tier, m) {
		return nil
	}
	if all := g.tiers(); all != nil {
		return fmt.Errorf("plimsoll: Override: no tier %q: want one of [%s]", tier, strings.Join(all, " "))
	}
	return fmt.Errorf("plimsoll: Override: no tier %q: the gate has none without a Config.Ladder", tier)
}

// switchTier is the locked part of Override.
func (g *Gate) switchTier(tier string, m ladder.Mode) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	now := g.now()
	ok := g.machine.Override(now, tier, m)
	g.settleLocked(now)
	return ok
}

// tiers are the names of the tiers that there are.
func (g *Gate) tiers() []string {
	if p := g.word.Plan(); p != nil {
		return p.Names()
	}
	return nil
}

// Signal tells the ladder what it goes by where its tiers have [ladder.Tier.Above]:
// a share of CPU or heap, say. It holds until the next. Elsewhere it does nothing.
func (g *Gate) Signal(v float64) {
	g.mu.Lock()
	defer g.mu.Unlock()
	now := g.now()
	g.machine.Supply(now, v)
	g.settleLocked(now)
}

// fallbackFails is told by the gate's book that it has changed its mind about a
// tier. What it thinks now is read under the lock: who tells may come late, after
// the next change was told, or after [Gate.Override] has had it forgotten.
func (g *Gate) fallbackFails(tier string, _ bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	book := g.book.Load()
	if book == nil {
		return // there are no tiers any more
	}
	now := g.now()
	for _, e := range book.Entries() {
		if e.Name == tier {
			g.machine.Fail(now, tier, e.Failing)
		}
	}
	g.settleLocked(now)
}

// rebook has the book follow the tiers of a configuration.
func (g *Gate) rebook(c *ladder.Config) {
	if c == nil {
		g.book.Store(nil)
		return
	}
	g.book.Store(g.book.Load().Follow(*c, g.fallbackFails))
}

// TierChange is a tier that went on or off.
type TierChange struct {
	Gate string    // [Config.Name] of the gate
	Time time.Time // when it was decided
	ladder.Transition
}

// tellLocked has the transitions told to [Config.OnTier], in order and without
// the lock. It needs g.mu.
func (g *Gate) tellLocked(news []ladder.Transition) {
	if g.onTier == nil {
		return
	}
	g.untold = append(g.untold, news...)
	if !g.telling {
		g.telling = true
		go g.tell()
	}
}

// tell tells until there is no more to tell.
func (g *Gate) tell() {
	for news := g.takeNews(); news != nil; news = g.takeNews() {
		for _, t := range news {
			g.onTier(TierChange{Gate: g.name, Time: g.epoch.Add(t.At), Transition: t})
		}
	}
}

// takeNews is the locked part of tell.
func (g *Gate) takeNews() []ladder.Transition {
	g.mu.Lock()
	defer g.mu.Unlock()
	news := g.untold
	g.untold, g.telling = nil, news != nil
	return news
}

// LadderSnapshot is the part of a [Snapshot] about tiers. Counters only grow.
type LadderSnapshot struct {
	// Signal is what the ladder goes by now: the predicted delay in nanoseconds,
	// or what [Gate.Signal] was told.
	Signal float64
	// Changes is how often a tier went on or off.
	Changes uint64
	// Rungs is how many were admitted with so many tiers on for them.
	Rungs []uint64
	// Exercised is how many of all were chosen to take a tier that is off.
	Exercised uint64
	Tiers     []TierSnapshot
}

// TierSnapshot is one tier.
type TierSnapshot struct {
	Name    string
	On      bool
	Mode    ladder.Mode
	Failing bool          // switched off because its fallback fails more often than the full way
	Since   time.Time     // when it went on or off; the gate's beginning: it has not yet
	Total   time.Duration // how long it has been on in all
	Ups     uint64        // how often it went on
	// Work is what [ladder.Do] has counted, and what the tier saves.
	Work ladder.Entry
}

// ladderSnapshotLocked is nil for a gate without tiers. It needs g.mu.
func (g *Gate) ladderSnapshotLocked(now time.Duration, counts *core.Counts) *LadderSnapshot {
	s, exercised, ok := g.machine.Tiers(now)
	if !ok {
		return nil
	}
	out := &LadderSnapshot{
		Signal: s.Signal, Changes: s.Changes, Exercised: exercised,
		Rungs: append([]uint64(nil), counts.Rungs[:len(s.Tiers)+1]...),
		Tiers: make([]TierSnapshot, len(s.Tiers)),
	}
	work := g.book.Load().Entries()
	for i, t := range s.Tiers {
		out.Tiers[i] = TierSnapshot{
			Name: t.Name, On: t.On, Mode: t.Mode, Failing: t.Failing,
			Since: g.epoch.Add(t.Since), Total: t.Total, Ups: t.Ups, Work: work[i],
		}
	}
	return out
}
