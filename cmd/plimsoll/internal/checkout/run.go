package checkout

import (
	"context"
	"errors"
	"math/rand/v2"
	"sync"
	"time"

	"github.com/plimsoll-go/plimsoll/class"
	"github.com/plimsoll-go/plimsoll/cmd/plimsoll/internal/openloop"
)

// result is the whole story.
type result struct {
	capacities
	before, after   []row
	beforeRecovered recovered
	afterRecovered  recovered
	quotes          quotes
	beforeSlip      time.Duration // how late the generator was, 99th percentile of the worst run
	afterSlip       time.Duration
}

// recovered is when goodput was back for good, from the end of the overload.
type recovered struct {
	after  time.Duration
	within bool // the time that was watched
	watch  time.Duration
}

// tell plays the whole story.
func (p plan) tell(ctx context.Context, l *live) (r result, err error) {
	if r.capacities, err = p.capacities(ctx, l); err != nil {
		return r, err
	}
	for _, steps := range p.before {
		if err := p.chapter(ctx, l, roleBefore, steps, &r.before, &r.beforeRecovered, &r.beforeSlip); err != nil {
			return r, err
		}
	}
	if err := p.chapter(ctx, l, roleAfter, p.after, &r.after, &r.afterRecovered, &r.afterSlip); err != nil {
		return r, err
	}
	r.quotes, err = p.pricing(ctx, l)
	return r, err
}

// chapter plays steps against a fresh checkout.
func (p plan) chapter(ctx context.Context, l *live, role string, steps []step, rows *[]row, back *recovered, slip *time.Duration) error {
	s, err := open(ctx, role, false)
	if err != nil {
		return err
	}
	defer s.close()
	sh, err := newShoppers(s.checkout.url, role == roleAfter)
	if err != nil {
		return err
	}
	defer sh.close()

	times, classes := schedule(steps)
	var readings []reading
	var watching sync.WaitGroup
	watching.Go(func() { readings = watch(ctx, l, role, steps, s.checkout, sh) })
	end := length(steps)
	records := openloop.Play(ctx, times, func(i int) openloop.Record { return sh.visit(ctx, classes[i]) })
	watching.Wait()
	if err := ctx.Err(); err != nil {
		return err
	}
	if len(readings) <= 2*len(steps) {
		return errors.New("the checkout could not be asked how it does")
	}
	*rows = append(*rows, account(steps, times, classes, records, readings)...)
	*slip = max(*slip, openloop.SlipP99(records))
	if last := steps[len(steps)-1]; last.name == recovery {
		back.watch = last.length()
		back.after, back.within = openloop.Recovery(times, records, end-last.length(), end)
	}
	return nil
}

// schedule puts arrivals at even distances, and says what each wants.
func schedule(steps []step) (times []time.Duration, classes []class.Criticality) {
	r := rand.New(rand.NewPCG(1, 0))
	var begin time.Duration
	for _, s := range steps {
		gap := float64(time.Second) / s.rate
		for i := 0; ; i++ {
			at := time.Duration((float64(i) + 0.5) * gap)
			if at >= s.length() {
				break
			}
			times, classes = append(times, begin+at), append(classes, draw(r))
		}
		begin += s.length()
	}
	return times, classes
}

// length is how long steps are, all together.
func length(steps []step) (all time.Duration) {
	for _, s := range steps {
		all += s.length()
	}
	return all
}
