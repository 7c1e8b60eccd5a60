package demo

import (
	"context"
	"sync"
	"time"

	"github.com/plimsoll-go/plimsoll/cmd/plimsoll/internal/openloop"
)

// run is everything that was played against one front.
type run struct {
	gate      bool
	phases    []summary     // those of the plan, then slower
	series    []moment      // of the plan's phases
	slower    []moment      // of what was played apart
	recovered bool          // within the plan's phases
	recovery  time.Duration // from the end of the overload, when recovered
	slip      time.Duration // 99th percentile of how late the generator was
}

// result is a whole demonstration.
type result struct {
	plan
	capacity float64 // measured, per second
	runs     []run   // bare, then behind the gate
}

// demonstrate measures the capacity and plays the schedules against the bare
// backend and then through the gate.
func (p plan) demonstrate(ctx context.Context, l *live) (result, error) {
	out := result{plan: p}
	l.note("measuring the capacity of the backend ...")
	capacity, err := p.capacity(ctx)
	if err != nil {
		return out, err
	}
	out.capacity = capacity
	for _, gate := range []bool{false, true} {
		r, err := p.run(ctx, l, gate, capacity)
		if err != nil {
			return out, err
		}
		out.runs = append(out.runs, r)
	}
	return out, nil
}

// run plays the overload, and then apart from it what only looks like one: the
// bare backend is still at its backlog when the first has ended.
func (p plan) run(ctx context.Context, l *live, gate bool, capacity float64) (run, error) {
	l.note("\n%s", title(gate))
	main, err := p.play(ctx, l, gate, p.phases, schedule(p.seed, capacity, p.phases))
	if err != nil {
		return run{}, err
	}
	aside, err := p.play(ctx, l, gate, p.slower, schedule(p.seed, capacity, p.slower))
	if err != nil {
		return run{}, err
	}
	r := run{
		gate:   gate,
		phases: append(main.phases, aside.phases[len(aside.phases)-1]),
		series: main.series,
		slower: aside.series,
		slip:   max(openloop.SlipP99(main.records), openloop.SlipP99(aside.records)),
	}
	_, end := span(p.phases, overload)
	r.recovery, r.recovered = openloop.Recovery(timesOf(main.arrivals), main.records, end, length(p.phases))
	return r, nil
}

// played is one schedule and what became of it.
type played struct {
	arrivals []arrival
	records  []openloop.Record
	phases   []summary
	series   []moment
}

// play plays a schedule against a fresh backend, bare or behind a gate.
func (p plan) play(ctx context.Context, l *live, gate bool, phases []phase, arrivals []arrival) (played, error) {
	b := newBackend(p.slots, p.service)
	defer b.stop()
	f, err := listen(b)
	if err != nil {
		return played{}, err
	}
	defer f.close()
	url := f.url
	if gate {
		g, err := gated(f.url)
		if err != nil {
			return played{}, err
		}
		defer g.close()
		url = g.url
	}
	c, err := newClient(url, p.deadline)
	if err != nil {
		return played{}, err
	}
	defer c.close()

	var g gauges
	var watchers sync.WaitGroup
	done := make(chan struct{})
	watchers.Go(func() { l.follow(done, phases, &g, b) })
	watchers.Go(func() { b.follow(ctx, phases) })
	var finished []int64
	watchers.Go(func() { finished = completionsAt(ctx, b, p.step, int(length(phases)/p.step)) })
	records := c.play(ctx, arrivals, p.attempts, &g)
	close(done)
	watchers.Wait()
	if err := ctx.Err(); err != nil {
		return played{}, err
	}
	out := played{arrivals: arrivals, records: records, phases: account(phases, arrivals, records), series: p.series(arrivals, records, finished)}
	for i := range out.phases {
		begin, end := span(phases, i)
		out.phases[i].completions = p.completionsIn(out.series, begin, end)
	}
	return out, nil
}

// completionsAt reads the backend's count of finished jobs at the start of
// the run and at the end of each step.
func completionsAt(ctx context.Context, b *backend, step time.Duration, steps int) []int64 {
	start := time.Now()
	out := []int64{b.completed.Load()}
	for i := range steps {
		openloop.Pause(ctx, time.Duration(i+1)*step-time.Since(start))
		out = append(out, b.completed.Load())
	}
	return out
}
