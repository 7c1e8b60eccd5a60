package telemetry

import (
	"context"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/plimsoll-go/plimsoll"
	"github.com/plimsoll-go/plimsoll/class"
	"github.com/plimsoll-go/plimsoll/httpgate"
	"github.com/plimsoll-go/plimsoll/ladder"
)

// tierCounts is what is counted of one tier beside what its gate counts.
type tierCounts struct {
	requests    atomic.Uint64                        // answered without it, since it was on
	exercised   atomic.Uint64                        // since it was tried out
	transitions [2][ladder.Failing + 1]atomic.Uint64 // off and on, by cause

	mu     sync.Mutex
	person Person
}

// Person is who has had a tier in hand last, and when. The zero value: nobody.
type Person struct {
	By   string    `json:"by,omitzero"` // the name that was given
	From string    `json:"from"`        // the address that it came from
	Mode string    `json:"mode"`        // on, off or auto
	At   time.Time `json:"at"`
}

// tier returns the counters of a tier, the same ones every time. The names are
// those of configurations, so that they are few.
func (g *gateCounts) tier(name string) *tierCounts {
	if have, ok := g.tiers.Load(name); ok {
		return have.(*tierCounts) // nothing else is stored
	}
	have, _ := g.tiers.LoadOrStore(name, new(tierCounts))
	return have.(*tierCounts)
}

// degraded counts what an admitted request was answered without.
func (g *gateCounts) degraded(d ladder.Decision) {
	for _, name := range d.Names() {
		if name == d.Exercise() {
			g.tier(name).exercised.Add(1)
		} else {
			g.tier(name).requests.Add(1)
		}
	}
}

// Answered counts one request that the proxy has answered by itself as a tier is
// on: with this status, without asking the gate.
func (r *Route) Answered(c class.Criticality, attempt int, tier string, status int) {
	how := plimsoll.Success
	if status >= 400 {
		how = plimsoll.Failed
	}
	r.ended[c.Lane()][how].Add(1)
	r.gate.answered[c.Lane()][how].Add(1)
	r.attempts[min(max(attempt, 0), len(attemptNames)-1)].Add(1)
	r.gate.rungs[rungDegrade].Add(1)
	r.gate.tier(tier).requests.Add(1)
}

// before is what became of requests of a class before the gate was asked.
type before struct {
	held         uint64 // by a breaker
	good, failed uint64 // answered by the proxy
}

func (b before) all() uint64 { return b.held + b.good + b.failed }

func (g *gateCounts) before(lane int) before {
	return before{g.held[lane].Load(), g.answered[lane][plimsoll.Success].Load(), g.answered[lane][plimsoll.Failed].Load()}
}

// Tier counts and logs that a tier went on or off: [plimsoll.Config.OnTier].
func (rec *Recorder) Tier(t plimsoll.TierChange) {
	on := 0
	state := "tier off"
	if t.On {
		on, state = 1, "tier on"
	}
	rec.gate(t.Gate).tier(t.Name).transitions[on][t.Cause].Add(1)
	if rec.sheds.log == nil {
		return
	}
	level := slog.LevelInfo
	if t.Cause == ladder.Failing && !t.On {
		level = slog.LevelWarn
	}
	rec.sheds.log.LogAttrs(context.Background(), level, state,
		slog.String("gate", t.Gate), slog.String("tier", t.Name), slog.String("cause", t.Cause.String()),
		slog.Duration("delay", t.Delay()), slog.Time("at", t.Time))
}

// Switched notes and logs that a person has switched a tier.
func (rec *Recorder) Switched(gate, tier string, who Person) {
	t := rec.gate(gate).tier(tier)
	t.mu.Lock()
	t.person = who
	t.mu.Unlock()
	if rec.sheds.log != nil {
		rec.sheds.log.LogAttrs(context.Background(), slog.LevelInfo, "tier switched by a person",
			slog.String("gate", gate), slog.String("tier", tier), slog.String("mode", who.Mode),
			slog.String("by", who.By), slog.String("from", who.From), slog.Time("at", who.At))
	}
}

func (t *tierCounts) who() Person {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.person
}

// The rungs of the ladder that a request can end on.
type rungOf int

const (
	rungServe    rungOf = iota // admitted at once, answered in full
	rungDegrade                // answered with less, waited or not
	rungSlow                   // admitted from the queue
	rungShed                   // refused
	rungFailFast               // refused without trying
	rungs
)

var rungNames = [rungs]string{"serve", "degrade", "slow", "shed", "fail_fast"}

// rung is the step of the ladder on which a request ended. One that only tries a
// tier out is on the step of all others.
func rung(e *httpgate.Ended) rungOf {
	switch {
	case e.Refusal == nil && e.Degraded.Rung() > 0:
		return rungDegrade
	case e.Refusal == nil && e.Waited == 0:
		return rungServe
	case e.Refusal == nil:
		return rungSlow
	case e.Refusal.Reason == plimsoll.Draining || e.Refusal.Reason == plimsoll.Recovering:
		return rungFailFast
	}
	return rungShed
}

// tiersOf sends what is known of a gate's rungs and tiers.
func tiersOf(to sink, s *plimsoll.Snapshot, c *gateCounts) {
	for i, name := range rungNames {
		to.number(rungRequests, float64(c.rungs[i].Load()), s.Name, name)
	}
	if s.Ladder == nil {
		return
	}
	on := 0
	for _, t := range s.Ladder.Tiers {
		if t.On {
			on++
		}
		tierOf(to, s.Name, &t, c.tier(t.Name))
	}
	to.number(tiersOn, float64(on), s.Name)
}

func tierOf(to sink, gate string, t *plimsoll.TierSnapshot, c *tierCounts) {
	to.number(tierOn, truth(t.On), gate, t.Name)
	to.number(tierByHand, truth(t.Mode != ladder.Auto), gate, t.Name)
	to.number(tierFailing, truth(t.Failing), gate, t.Name)
	to.number(tierTime, t.Total.Seconds(), gate, t.Name)
	to.number(tierRequests, float64(c.requests.Load()), gate, t.Name, "false")
	to.number(tierRequests, float64(c.exercised.Load()), gate, t.Name, "true")
	for i, to2 := range []string{"off", "on"} {
		for why := ladder.Delayed; why <= ladder.Failing; why++ {
			to.number(tierTransitions, float64(c.transitions[i][why].Load()), gate, t.Name, to2, why.String())
		}
	}
	for _, w := range []struct {
		name string
		way  ladder.Way
	}{{"full", t.Work.Full}, {"cheaper", t.Work.Cheaper}} {
		to.number(tierCalls, float64(w.way.Calls-w.way.Failed), gate, t.Name, w.name, "success")
		to.number(tierCalls, float64(w.way.Failed), gate, t.Name, w.name, "failed")
		to.number(tierCallTime, w.way.Time.Seconds(), gate, t.Name, w.name)
	}
	to.number(tierTurned, float64(t.Work.Turned), gate, t.Name)
	to.number(tierRunning, float64(t.Work.Running), gate, t.Name)
}

// LadderStatus is the part of a [GateStatus] about tiers.
type LadderStatus struct {
	Delay     float64      `json:"delay_seconds"` // that the tiers go by
	Changes   uint64       `json:"changes"`       // tiers that went on or off
	Exercised uint64       `json:"exercised"`     // requests that tried a tier out
	Admitted  []uint64     `json:"admitted"`      // requests admitted with so many tiers on for them
	Tiers     []TierStatus `json:"tiers"`
}

// TierStatus is one tier, in the order of the ladder.
type TierStatus struct {
	Name      string    `json:"name"`
	On        bool      `json:"on"`
	Mode      string    `json:"mode"`    // auto, or on or off by a person
	Failing   bool      `json:"failing"` // off as its fallback fails more often than the full way
	Since     time.Time `json:"since"`   // when it went on or off
	Time      float64   `json:"on_seconds"`
	Ups       uint64    `json:"ups"`
	Requests  uint64    `json:"requests"`  // answered without it, since it was on
	Exercised uint64    `json:"exercised"` // answered without it, to try that out
	Person    *Person   `json:"person,omitzero"`

	Full    WayStatus `json:"full"`
	Cheaper WayStatus `json:"cheaper"`
	Turned  uint64    `json:"turned_away"` // for too many fallbacks under way
	Running int       `json:"running"`
}

// WayStatus is what became of one of the two ways of a tier.
type WayStatus struct {
	Calls   uint64  `json:"calls"`
	Failed  uint64  `json:"failed"`
	Seconds float64 `json:"seconds"` // all of them together
}

func ladderStatus(l *plimsoll.LadderSnapshot, c *gateCounts) *LadderStatus {
	if l == nil {
		return nil
	}
	out := &LadderStatus{
		Delay: time.Duration(l.Signal).Seconds(), Changes: l.Changes, Exercised: l.Exercised, Admitted: l.Rungs, Tiers: []TierStatus{},
	}
	for _, t := range l.Tiers {
		counts := c.tier(t.Name)
		of := TierStatus{
			Name: t.Name, On: t.On, Mode: t.Mode.String(), Failing: t.Failing, Since: t.Since, Time: t.Total.Seconds(), Ups: t.Ups,
			Requests: counts.requests.Load(), Exercised: counts.exercised.Load(),
			Full: wayStatus(t.Work.Full), Cheaper: wayStatus(t.Work.Cheaper), Turned: t.Work.Turned, Running: t.Work.Running,
		}
		if who := counts.who(); who != (Person{}) {
			of.Person = &who
		}
		out.Tiers = append(out.Tiers, of)
	}
	return out
}

func wayStatus(w ladder.Way) WayStatus {
	return WayStatus{Calls: w.Calls, Failed: w.Failed, Seconds: w.Time.Seconds()}
}
