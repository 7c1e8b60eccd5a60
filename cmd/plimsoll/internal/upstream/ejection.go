package upstream

import "time"

// An endpoint is left out for the time of the configuration at first. Each
// ejection that follows before it has been well for as long as it was out is
// longer by that time, up to maxEjections times.
const maxEjections = 10

// The bounds on what a refusal's Retry-After does.
const (
	maxRest    = 30 * time.Second
	restStreak = 3 // refusals in a row: it refuses everything, not only what it has no room for
)

// record takes a verdict on endpoint i. probe: its request was the probe.
func (b *balance) record(now time.Duration, i int, probe bool, v verdict) {
	m := &b.members[i]
	switch v.kind {
	case neutral:
		if probe {
			m.probing = false // the next request is a probe again
		}
		return
	case good:
		m.counts.Answered++
		m.answered, m.refusedInRow, m.failedInRow = now, 0, 0
	case faulty:
		m.counts.Answered++
		m.counts.Faulty++
		m.answered, m.refusedInRow, m.failedInRow = now, 0, 0
		m.set.add(now, holdFor(0, b.mean))
	case refused:
		m.counts.Refused++
		m.answered = now
		m.set.add(now, holdFor(v.after, b.mean))
		b.rest(now, m, v.after)
	case dropped, failed:
		m.counts.Failed++
		m.refusedInRow = 0
		if v.kind == dropped && !probe && now-m.answered <= b.ejection.Time {
			m.set.add(now, holdFor(0, b.mean))
			return // it answers others
		}
		m.failedInRow++
		m.set.add(now, holdFor(0, b.mean))
		b.eject(now, m, probe)
		return
	}
	if probe {
		b.heal(now, m)
	}
}

// began notes that an answer that is no refusal and no error has begun: for a
// probe that is enough, as a stream may take hours to end.
func (b *balance) began(now time.Duration, i int, probe bool, took time.Duration) {
	if b.mean == 0 {
		b.mean = took
	} else {
		b.mean += (took - b.mean) / 32
	}
	b.members[i].answered = now
	if probe {
		b.heal(now, &b.members[i])
	}
}

// leave counts a request out.
func (b *balance) leave(i int) { b.members[i].inFlight-- }

// rest spares an endpoint that refuses everything for as long as it asked. One
// that also answers is at its capacity: it keeps what it can serve, and the
// weight of its refusals sends the rest elsewhere. If it were left out for each
// single refusal, its share would go to the others and fill them in turn.
func (b *balance) rest(now time.Duration, m *member, after time.Duration) {
	m.refusedInRow++
	if m.refusedInRow < restStreak || after <= 0 {
		return
	}
	length := min(after, maxRest)
	if until := now + length; until > m.restUntil {
		m.restUntil, m.back, m.ramp = until, until, min(length, maxRamp)
	}
}

// eject leaves an endpoint out that has failed too often, or whose probe has
// failed, unless too many are out.
func (b *balance) eject(now time.Duration, m *member, probe bool) {
	e := b.ejection
	switch {
	case m.out && !probe:
		return // a straggler from before
	case !probe && (e.Failures == 0 || m.failedInRow < e.Failures || b.out() >= b.mayBeOut()):
		return
	}
	if !probe && now-m.back > m.length {
		m.inRow = 0
	}
	m.inRow = min(m.inRow+1, maxEjections)
	m.length = time.Duration(m.inRow) * e.Time
	m.out, m.probing = true, false
	m.until = now + m.length
	m.counts.Ejections++
}

// heal takes an endpoint back.
func (b *balance) heal(now time.Duration, m *member) {
	if !m.out {
		return
	}
	m.out, m.probing = false, false
	m.failedInRow = 0
	m.back, m.ramp = now, min(b.ejection.Time, maxRamp)
}

// mayBeOut is how many may be ejected at once: the configured part, rounded
// down. Of three endpoints at 50 % that is one; of a single endpoint at less
// than 100 %, none.
func (b *balance) mayBeOut() int {
	return b.ejection.Out(len(b.members))
}

// out counts the ejected.
func (b *balance) out() (n int) {
	for i := range b.members {
		if b.members[i].out {
			n++
		}
	}
	return n
}

// returns says how long until an ejected endpoint is tried again; 0 if one is
// now, or is being tried.
func (b *balance) returns(now time.Duration) time.Duration {
	first := time.Duration(-1)
	for i := range b.members {
		m := &b.members[i]
		if !m.out || m.probing {
			return 0
		}
		if left := max(0, m.until-now); first < 0 || left < first {
			first = left
		}
	}
	return max(0, first)
}
