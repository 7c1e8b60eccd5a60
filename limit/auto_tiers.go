package limit

import "time"

// tiers is what is known of the work with other tiers of cheaper answers on.
//
// A part of an answer may take a slot for ten times as long as all the rest, and
// no capacity: with it another limit is right, and another time is that of calm.
// Without a memory each transition would be found out about from the wrong end:
// at the low limit of the cheaper answers the full ones queue, and that queue is
// reason enough for the tier to go on again.
type tiers struct {
	on     uint32 // those in force
	others [memories]memory
}

// memory is how it was with some tiers on.
type memory struct {
	on    uint32
	left  time.Duration // when that was last so
	limit int           // 0: there is no such memory
	base  time.Duration // as in station
	early time.Duration
	slot  time.Duration
}

// memories is how many are kept: those of a ladder that goes up and down, and
// some that a person makes. Of more, the one left longest ago is forgotten.
const memories = 5

// shift takes over that other tiers are on, and reports whether tiers went off:
// then what was counted is of work that takes no longer than the present, and the
// limit begins anew, at the one that is foreseen and without a verdict on
// capacity, so that nobody is refused on the strength of another work's.
//
// Where tiers went on, the limit goes on as it is. Slots are still held by what
// began before, and as long as they are, a lower one would let nobody in; and an
// overload, which is what they went on for, is no time to forget evidence in.
func (a *Auto) shift(on uint32) (anew bool) {
	anew = a.tiers.on&^on != 0
	a.tiers.keep(a.memory())
	a.tiers.on = on
	m := a.tiers.recall()
	if anew || m.base > 0 { // or else that of fuller answers is nearer than none
		a.station.base, a.station.early = m.base, m.early
	}
	if !anew {
		return false
	}
	a.stood, a.calm = 0, 0
	a.move(max(a.limit, a.foreseen(m)))
	if m.base == 0 {
		a.startSearch()
		return true
	}
	a.sure = false
	a.startIdle()
	return true
}

// foreseen is the limit to go on with where tiers went off: the one that was good
// then, or what the present load takes if it is served as it was then, by
// Little's law; where nothing is known, the highest that was good with any tiers.
func (a *Auto) foreseen(m memory) int {
	if m.limit == 0 {
		return a.tiers.highest()
	}
	hold := m.base
	if hold == 0 {
		hold = max(m.early, m.slot)
	}
	x := a.station.perSecond()
	return max(m.limit, min(int(someRoom*x*hold.Seconds()), a.station.ceiling(x)))
}

// memory is what to keep of the present.
func (a *Auto) memory() memory {
	m := memory{
		on: a.tiers.on, left: a.station.now, limit: a.limit,
		base: a.station.base, early: a.station.early, slot: a.station.slot,
	}
	switch {
	case a.mode == dithering:
		m.limit = a.dither.home
	case a.mode == searching && a.search.phase == down:
		m.limit = a.search.ref.limit
	}
	return m
}

// keep puts m in the place of what is known of its tiers, or of the oldest.
func (t *tiers) keep(m memory) {
	at := 0
	for i := range t.others {
		o := &t.others[i]
		if o.limit > 0 && o.on == m.on {
			at = i
			break
		}
		if o.left < t.others[at].left || o.limit == 0 {
			at = i
		}
	}
	t.others[at] = m
}

// recall is what is known of the tiers in force; the zero value: nothing.
func (t *tiers) recall() memory {
	for _, m := range t.others {
		if m.limit > 0 && m.on == t.on {
			return m
		}
	}
	return memory{}
}

// highest is the highest limit that is known of any tiers.
func (t *tiers) highest() int {
	n := 0
	for _, m := range t.others {
		n = max(n, m.limit)
	}
	return n
}
