package peers

import "github.com/plimsoll-go/plimsoll/sim"

// permits is the limit of those below.
const permits = 64

// Leaky is a fixed limit that forgets to take a permit back when the caller has
// left before its answer: as where the release hangs on an answer that is never
// written. (Netflix/concurrency-limits#190.)
type Leaky struct {
	plain
	out  int
	gone map[uint64]int // attempts in flight whose callers have left, by request
}

// NewLeaky returns one with all its permits.
func NewLeaky() *Leaky { return &Leaky{gone: map[uint64]int{}} }

// Arrive implements [sim.Admitter].
func (l *Leaky) Arrive(sim.View, sim.Request) sim.Admission {
	if l.out >= permits {
		return sim.Refuse
	}
	l.out++
	return sim.Admit
}

// Left implements [sim.Leaver].
func (l *Leaky) Left(_ sim.View, r sim.Request) { l.gone[r.Number]++ }

// End implements [sim.Admitter].
func (l *Leaky) End(_ sim.View, r sim.Request, _ sim.Served) {
	if l.gone[r.Number] > 0 {
		l.gone[r.Number]--
		return
	}
	l.out--
}

// Limit implements [sim.Admitter].
func (*Leaky) Limit() int { return permits }

// Early is a fixed limit that takes a permit back when its caller leaves, while
// the work goes on: what is truly in flight has no bound.
// (Netflix/concurrency-limits#138, #139.)
type Early struct{ Leaky }

// NewEarly returns one with all its permits.
func NewEarly() *Early { return &Early{*NewLeaky()} }

// Left implements [sim.Leaver].
func (l *Early) Left(v sim.View, r sim.Request) {
	l.Leaky.Left(v, r)
	l.out--
}
