package demo

import (
	"context"
	"time"
)

// run is one playing of the schedule.
type run struct {
	gate      bool
	phases    []summary
	series    []moment
	recovered bool          // within the run
	recovery  time.Duration // from the end of the overload, when recovered
	slip      time.Duration // 99th percentile of how late the generator was
}

// result is a whole demonstration.
type result struct {
	plan
	capacity float64 // measured, per second
	runs     []run   // bare, then behind the gate
}

// demonstrate measures the capacity and plays the schedule against the bare
// backend and then through the gate.
func (p plan) demonstrate(ctx context.Context, l *live) (result, error) {
	out := result{plan: p}
	l.note("measuring the capacity of the backend ...")
	capacity, err := p.capacity(ctx)
	if err != nil {
		return out, err
	}
	out.capacity = capacity
	arrivals := schedule(p.seed, capacity, p.phases)
	for _, gate := range []bool{false, true} {
		r, err := p.run(ctx, l, gate, arrivals)
		if err != nil {
			return out, err
		}
		out.runs = append(out.runs, r)
	}
	return out, nil
}

// run plays the schedule against a fresh backend, bare or behind a gate.
func (p plan) run(ctx context.Context, l *live, gate bool, arrivals []arrival) (run, error) {
	b := newBackend(p.slots, p.service)
	defer b.stop()
	f, err := listen(b)
	if err != nil {
		return run{}, err
	}
	defer f.close()
	url := f.url
	if gate {
		g, err := gated(f.url)
		if err != nil {
			return run{}, err
		}
		defer g.close()
		url = g.url
	}
	c, err := newClient(url, p.deadline)
	if err != nil {
		return run{}, err
	}
	defer c.close()

	var g gauges
	done := make(chan struct{})
	shown := make(chan struct{})
	go func() { defer close(shown); l.follow(done, gate, p.phases, &g, b) }()
	marks := make(chan []int64, 1)
	go func() { marks <- completionsAt(ctx, b, p.step, p.steps()) }()
	records := c.play(ctx, arrivals, p.attempts, &g)
	close(done)
	<-shown
	finished := <-marks
	if err := ctx.Err(); err != nil {
		return run{}, err
	}

	r := run{
		gate:   gate,
		phases: account(p.phases, arrivals, records),
		series: p.series(arrivals, records, finished),
		slip:   slipP99(records),
	}
	for i := range r.phases {
		begin, end := span(p.phases, i)
		r.phases[i].completions = p.completionsIn(r.series, begin, end)
	}
	_, end := span(p.phases, overload)
	r.recovery, r.recovered = recovery(arrivals, records, end, p.length())
	return r, nil
}

// completionsAt reads the backend's count of finished jobs at the start of
// the run and at the end of each step.
func completionsAt(ctx context.Context, b *backend, step time.Duration, steps int) []int64 {
	start := time.Now()
	out := []int64{b.completed.Load()}
	for i := range steps {
		pause(ctx, time.Duration(i+1)*step-time.Since(start))
		out = append(out, b.completed.Load())
	}
	return out
}
