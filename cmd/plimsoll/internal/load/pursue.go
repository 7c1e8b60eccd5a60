package load

import (
	"math/rand/v2"
	"sync"
	"time"

	"github.com/plimsoll-go/plimsoll/cmd/plimsoll/internal/mix"
	"github.com/plimsoll-go/plimsoll/cmd/plimsoll/internal/openloop"
	"github.com/plimsoll-go/plimsoll/cmd/plimsoll/internal/tally"
	"github.com/plimsoll-go/plimsoll/cmd/plimsoll/internal/target"
	"github.com/plimsoll-go/plimsoll/retry"
)

// pursue makes attempts for one request until it has ended. Its caller waits
// since it was due, and until its deadline after that, whenever it was sent.
func (r *run) pursue(due time.Duration, q mix.Request) {
	r.tally.Offered(q.Index, due)
	deadline := due + q.Deadline
	now := r.now()
	end := tally.Request{Class: q.Index, Due: due, Sent: now}
	b := r.budgets[q.Index]
	b.request(now)
	for attempt := 1; ; attempt++ {
		end.Last = now
		a := r.Target.Try(r.attempts, &q, attempt, deadline-now)
		now = r.now()
		if a.Outcome == openloop.Good && now > deadline {
			a.Outcome = openloop.Late
		}
		if a.Outcome != openloop.Late || !a.Unsent {
			r.tally.Attempt(q.Index, now, a.Outcome, a.Reason)
		}
		end.Done, end.Outcome, end.Reason = now, a.Outcome, a.Reason
		if a.Outcome == openloop.Good || a.Outcome == openloop.Late {
			break
		}
		wait, again := b.again(now, &q, attempt, deadline, a, r.Seed^uint64(due))
		if !again {
			break
		}
		openloop.Pause(r.attempts, wait)
		if r.attempts.Err() != nil {
			break
		}
		now = r.now()
	}
	if r.attempts.Err() != nil && end.Outcome != openloop.Good {
		end.Outcome = openloop.Unsent // given up: nobody knows how it would have ended
	}
	r.tally.End(end)
}

// budget is the retries that the callers of a class have together. Nil: without
// bound.
type budget struct {
	lock sync.Mutex
	of   *retry.Budget
}

// budgets are those of the classes of a mix.
func budgets(m *mix.Mix) []*budget {
	out := make([]*budget, len(m.Classes))
	for i, c := range m.Classes {
		if share := c.Retry.Budget; share > 0 {
			out[i] = &budget{of: retry.NewBudget(retry.BudgetConfig{Share: share})}
		}
	}
	return out
}

func (b *budget) request(now time.Duration) {
	if b == nil {
		return
	}
	b.lock.Lock()
	defer b.lock.Unlock()
	b.of.Request(now)
}

// again decides whether there is another attempt, and after which wait. Seed is
// of its jitter.
func (b *budget) again(now time.Duration, q *mix.Request, attempt int, deadline time.Duration, a target.Answer, seed uint64) (time.Duration, bool) {
	how := q.Class.Retry
	if attempt >= how.Attempts {
		return 0, false
	}
	p := retry.Policy{Attempts: how.Attempts, Backoff: how.Backoff}
	failed := retry.Failed{Attempt: attempt, Repeatable: true, Deadline: deadline}
	if how.Heed {
		failed.Pushback = a.Pushback
	}
	var of *retry.Budget
	if b != nil {
		b.lock.Lock()
		defer b.lock.Unlock()
		of = b.of
	}
	wait, why := p.Next(now, failed, of, rand.New(rand.NewPCG(seed, uint64(attempt))))
	return wait, why == retry.Again
}
