package tally

import (
	"fmt"
	"time"

	"github.com/plimsoll-go/plimsoll/cmd/plimsoll/internal/openloop"
)

// Class is what is told of a class.
type Class struct {
	Name        string
	Criticality string // "": none is sent
}

// Tally counts. All methods may be called concurrently.
type Tally struct {
	classes  []Class
	grid     grid
	accounts []*account
}

// New returns a tally of a load of these classes, in the order of its mix, that
// is planned to last so long. Requests due later than that are counted with
// those due last.
func New(classes []Class, length time.Duration) *Tally {
	t := &Tally{classes: classes, grid: gridOf(length, len(classes))}
	for range classes {
		t.accounts = append(t.accounts, newAccount(t.grid))
	}
	return t
}

func (t *Tally) account(class int) *account {
	if class < 0 || class >= len(t.accounts) {
		panic(fmt.Sprintf("tally: class %d of %d", class, len(t.accounts)))
	}
	return t.accounts[class]
}

// Offered hears that a request is due. Skip or End follows; one for which
// neither does is open when the run ends.
func (t *Tally) Offered(class int, due time.Duration) {
	a := t.account(class)
	a.mu.Lock()
	defer a.mu.Unlock()
	a.offered++
	a.rows[t.grid.due(due)].offered++
	a.quanta[t.grid.of(due)].Offered++
}

// Skip hears that a request that was offered could not be sent at its time, and
// why: in_flight, late.
func (t *Tally) Skip(class int, due time.Duration, why string) {
	a := t.account(class)
	a.mu.Lock()
	defer a.mu.Unlock()
	a.skipped.add(why)
	a.rows[t.grid.due(due)].skipped++
}

// Attempt hears how one attempt ended, when, and why if it was refused or
// failed. One that is Unsent was none.
func (t *Tally) Attempt(class int, done time.Duration, outcome openloop.Outcome, reason string) {
	if outcome == openloop.Unsent {
		return
	}
	a := t.account(class)
	a.mu.Lock()
	defer a.mu.Unlock()
	a.attempts[outcome]++
	r := a.happened(t.grid.done(done))
	r.attempts++
	switch outcome {
	case openloop.Good, openloop.Late:
		r.done++
	case openloop.Refused:
		a.attemptRefused.add(reason)
	case openloop.Failed:
		a.erred.add(reason)
	}
}

// End hears how a request ended that was offered and sent. One that is Unsent
// stays open: its run was interrupted.
func (t *Tally) End(r Request) {
	a := t.account(r.Class)
	a.mu.Lock()
	defer a.mu.Unlock()
	i := t.grid.due(r.Due)
	row := &a.rows[i]
	took := r.Done - r.Due
	switch r.Outcome {
	case openloop.Good:
		a.good++
		row.good++
		a.happened(t.grid.done(r.Done)).answered++
		a.quanta[t.grid.of(r.Due)].Good++
	case openloop.Late:
		a.late++
		row.late++
	case openloop.Refused:
		a.refused.add(r.Reason)
		row.refused++
		a.turned.record(took)
	case openloop.Failed:
		a.failed.add(r.Reason)
		row.failed++
		a.turned.record(took)
	default:
		return
	}
	a.slip.record(r.Sent - r.Due)
	if r.Outcome == openloop.Good || r.Outcome == openloop.Late {
		a.latency.record(took)
		a.service.record(r.Done - r.Last)
		a.took(i, int(r.Done/time.Second), took)
	}
}
