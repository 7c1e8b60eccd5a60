package tally

import (
	"time"

	hdr "github.com/HdrHistogram/hdrhistogram-go"

	"github.com/plimsoll-go/plimsoll/cmd/plimsoll/internal/openloop"
	"github.com/plimsoll-go/plimsoll/cmd/plimsoll/internal/result"
)

// Result is what a run came to: about says what it was, and gets what was
// counted. It is asked when the run is over; what has not ended by then is open.
func (t *Tally) Result(about result.Result) result.Result {
	r := about
	r.Version = result.Version
	r.Step, r.Part = t.grid.step.Seconds(), t.grid.step.Seconds()*float64(t.grid.each)
	all := newAccount(t.grid)
	for i, a := range t.accounts {
		a.mu.Lock()
		all.merge(a)
		c := t.class(a, &r)
		a.mu.Unlock()
		c.Name, c.Criticality = t.classes[i].Name, t.classes[i].Criticality
		r.Classes = append(r.Classes, c)
	}
	r.All = t.class(all, &r)
	r.All.Name = result.AllClasses
	for i := range r.Classes { // all have as many rows
		missing := len(r.All.Series) - len(r.Classes[i].Series)
		r.Classes[i].Series = append(r.Classes[i].Series, make([]result.Second, missing)...)
	}
	return r
}

func (t *Tally) class(a *account, r *result.Result) result.Class {
	c := result.Class{
		Offered: a.offered, Skipped: a.skipped.copy(), Good: a.good, Late: a.late,
		Sent: a.ended() + a.open(), Open: a.open(),
		Refused: a.refused.copy(), Failed: a.failed.copy(),
		AttemptsRefused: a.attemptRefused.copy(), AttemptsFailed: a.erred.copy(),
		AttemptsGood: a.attempts[openloop.Good], AttemptsLate: a.attempts[openloop.Late],
		Latency: a.latency.times(), Service: a.service.times(), Slip: a.slip.times(), Turned: a.turned.times(),
		Recovery: t.recovery(a, r),
		Series:   t.series(a), Parts: t.parts(a),
	}
	for _, n := range a.attempts {
		c.Attempts += n
	}
	return c
}

// recovery is how long after the end of the last peak goodput is back for good.
// A quantum that begins before that end belongs to the peak.
func (t *Tally) recovery(a *account, r *result.Result) *float64 {
	if r.PeakEnd == nil {
		return nil
	}
	g := t.grid
	peak := seconds(*r.PeakEnd)
	from := ceil(peak, g.quantum)
	to := min(int(seconds(min(r.Ran, r.Length))/g.quantum), len(a.quanta))
	if from < 0 || from >= to {
		return nil
	}
	back, ok := openloop.Back(a.quanta[from:to], g.window)
	if !ok {
		return nil
	}
	after := 0.0
	if back > 0 {
		after = (time.Duration(from+back)*g.quantum - peak).Seconds()
	}
	return &after
}

func seconds(s float64) time.Duration { return time.Duration(s * float64(time.Second)) }

// series is what happened row by row, to the last in which anything did.
func (t *Tally) series(a *account) []result.Second {
	n := len(a.rows)
	for n > 0 && a.rows[n-1] == (row{}) {
		n--
	}
	out := make([]result.Second, n)
	for i, r := range a.rows[:n] {
		s := result.Second{
			Offered: int64(r.offered), Skipped: int64(r.skipped), Good: int64(r.good), Late: int64(r.late),
			Refused: int64(r.refused), Failed: int64(r.failed), Answered: int64(r.answered), Attempts: int64(r.attempts), Done: int64(r.done),
		}
		if i < len(a.latencies) && a.latencies[i] != nil {
			q := a.latencies[i].ValueAtPercentilesSlice([]float64{50, 99})
			s.P50, s.P99 = milliseconds(time.Duration(q[0])), milliseconds(time.Duration(q[1]))
		}
		out[i] = s
	}
	return out
}

// parts are how latency lies in each part of the run.
func (t *Tally) parts(a *account) []string {
	var out []string
	for i := 0; i < len(a.latencies); i += t.grid.each {
		part := newRow()
		for _, h := range a.latencies[i:min(i+t.grid.each, len(a.latencies))] {
			merge(part, h)
		}
		out = append(out, encoded(part))
	}
	return out
}

// merge adds what a row has, if it has anything: both have the same buckets.
func merge(to, from *hdr.PackedHistogram) {
	if from != nil {
		to.Merge(from)
	}
}

// merge adds what another class has. Its lock is held.
func (a *account) merge(from *account) {
	a.counts.merge(&from.counts)
	a.latency.merge(from.latency)
	a.service.merge(from.service)
	a.slip.merge(from.slip)
	a.turned.merge(from.turned)
	for i, r := range from.rows {
		a.happened(i).add(r)
	}
	for i, h := range from.latencies {
		if h != nil && a.latencies[i] == nil {
			a.latencies[i] = newRow()
		}
		merge(a.latencies[i], h)
	}
	for i, q := range from.quanta {
		a.quanta[i].Offered += q.Offered
		a.quanta[i].Good += q.Good
	}
}

func (r *row) add(from row) {
	r.offered += from.offered
	r.skipped += from.skipped
	r.good += from.good
	r.late += from.late
	r.refused += from.refused
	r.failed += from.failed
	r.attempts += from.attempts
	r.done += from.done
	r.answered += from.answered
}
