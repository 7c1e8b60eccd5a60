package load

import (
	"context"
	"iter"
	"math/rand/v2"
	"sync"
	"time"

	"github.com/plimsoll-go/plimsoll/cmd/plimsoll/internal/mix"
	"github.com/plimsoll-go/plimsoll/cmd/plimsoll/internal/openloop"
	"github.com/plimsoll-go/plimsoll/cmd/plimsoll/internal/result"
	"github.com/plimsoll-go/plimsoll/cmd/plimsoll/internal/tally"
)

// run is a plan that is being played.
type run struct {
	*Plan
	start    time.Time
	tally    *tally.Tally
	budgets  []*budget       // by class; nil: without
	attempts context.Context // of all attempts; done when they are given up
	giveUp   context.CancelFunc
	last     time.Duration // by when all that was sent so far has ended by itself
}

// Run plays a plan. When ctx is done it sends no more, waits for a second for
// what is in flight, and returns what became of it all until then, marked as
// interrupted. Its error is that a trace could not be read to its end.
func Run(ctx context.Context, p Plan) (result.Result, error) {
	began := time.Now()
	r := &run{Plan: &p, start: began, tally: tally.New(p.classes(), p.Schedule.Length()), budgets: budgets(p.Mix)}
	r.attempts, r.giveUp = context.WithCancel(context.WithoutCancel(ctx))
	defer r.giveUp()
	var closing sync.WaitGroup
	closing.Go(func() {
		select {
		case <-ctx.Done():
			openloop.Pause(r.attempts, brief)
			r.giveUp()
		case <-r.attempts.Done():
		}
	})
	if p.Begun != nil {
		p.Begun(r.tally, r.start)
	}
	sender := openloop.Sender{InFlight: p.inFlight(), Overdue: p.overdue(), Wake: p.Wake}
	openloop.Send(ctx, sender, r.start, r.requests(&closing), r.pursue, r.skip)
	ran := r.now()
	r.giveUp()
	closing.Wait()
	out := r.tally.Result(p.about(began, ran, ctx.Err() != nil))
	out.Invalid = p.invalid(&out)
	return out, p.Schedule.Err()
}

func (r *run) now() time.Duration { return time.Since(r.start) }

// requests are what is due, one after the other. When they are over, what does
// not end by itself has a bounded time left.
func (r *run) requests(closing *sync.WaitGroup) iter.Seq2[time.Duration, mix.Request] {
	rng := rand.New(rand.NewPCG(r.Seed, 0))
	return func(yield func(time.Duration, mix.Request) bool) {
		for a := range r.Schedule.Times(r.Seed) {
			q := r.Mix.Draw(rng, &a)
			r.last = max(r.last, a.Due+q.Deadline)
			if !yield(a.Due, q) {
				return
			}
		}
		closing.Go(func() {
			openloop.Pause(r.attempts, r.last+grace-r.now())
			r.giveUp()
		})
	}
}

// skip is a request that could not be sent at its time.
func (r *run) skip(due time.Duration, q mix.Request, why openloop.Skip) {
	r.tally.Offered(q.Index, due)
	r.tally.Skip(q.Index, due, why.String())
}
