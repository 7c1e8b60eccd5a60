package demo

import (
	"context"
	"io"
	"testing"
	"time"

	"github.com/plimsoll-go/plimsoll/cmd/plimsoll/internal/openloop"
)

// short is the demonstration in about two seconds: enough to go through every
// part of it, too short for its figures to mean anything.
func short() plan {
	p := newPlan(true, 1)
	p.deadline = time.Second // on a busy machine nobody would be served within a tenth of that
	p.measure = 200 * time.Millisecond
	p.phases = []phase{
		{name: "calm", load: 0.7, length: 200 * time.Millisecond},
		{name: "overload", load: 2, length: 300 * time.Millisecond},
		{name: "after", load: 0.7, length: 200 * time.Millisecond},
	}
	p.slower = []phase{
		{name: "before", load: 0.5, length: 100 * time.Millisecond},
		{name: "slower", load: 0.5, length: 200 * time.Millisecond, delay: 20 * time.Millisecond},
	}
	p.step = 100 * time.Millisecond
	return p
}

func TestDemonstration(t *testing.T) {
	r, err := short().demonstrate(t.Context(), &live{out: io.Discard})
	if err != nil {
		t.Fatal(err)
	}
	if r.capacity <= 0 || r.capacity > r.nominal() {
		t.Errorf("capacity %.0f/s, nominal %.0f/s", r.capacity, r.nominal())
	}
	arrivals := len(schedule(r.seed, r.capacity, r.phases))
	for _, a := range schedule(r.seed, r.capacity, r.slower) {
		arrivals += a.phase // what is before slower is not reported
	}
	if len(r.runs) != 2 || r.runs[0].gate || !r.runs[1].gate {
		t.Fatalf("%d runs, want the bare one and the gated one", len(r.runs))
	}
	for _, run := range r.runs {
		offered, completions := 0, 0
		for _, s := range run.phases {
			offered += s.total.offered()
			completions += s.completions
			if s.total[openloop.Unsent] > 0 || s.attempts < s.total.offered() || s.attempts > r.attempts*s.total.offered() {
				t.Errorf("%s, %s: %v in %d attempts", title(run.gate), s.name, s.total, s.attempts)
			}
			if s.p99 > r.deadline {
				t.Errorf("%s, %s: p99 of the served is %s, beyond the deadline", title(run.gate), s.name, s.p99)
			}
		}
		if len(run.series) != 7 || run.series[0].offered == 0 || len(run.slower) != 3 {
			t.Errorf("%s: series %v and %v", title(run.gate), run.series, run.slower)
		}
		if s := run.phases[slower]; s.name != "slower" || !run.gate && s.total[openloop.Refused] > 0 || s.total[openloop.Good] > 0 && s.p50 < 20*time.Millisecond {
			t.Errorf("%s, %s: %v, half of them within %s", title(run.gate), s.name, s.total, s.p50)
		}
		if offered != arrivals || completions == 0 {
			t.Errorf("%s: %d logical requests of %d, %d completions", title(run.gate), offered, arrivals, completions)
		}
	}
	if s := r.runs[0].phases[0]; s.total[openloop.Good] == 0 {
		t.Errorf("nobody was served in the calm: %v", s.total)
	}
}

func TestInterruptEndsTheDemonstration(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := short().demonstrate(ctx, &live{out: io.Discard}); err == nil {
		t.Error("no error after an interrupt")
	}
}

func TestPlansAreAsLongAsPromised(t *testing.T) {
	for _, tt := range []struct {
		fast  bool
		limit time.Duration
	}{{false, 70 * time.Second}, {true, 25 * time.Second}} {
		p := newPlan(tt.fast, 1)
		// The last requests of an overload may need all their attempts where
		// everybody is late, and one where there is a gate.
		longest := warmUp + p.measure + 2*length(p.phases) + time.Duration(p.attempts+1)*p.deadline
		longest += 2 * (length(p.slower) + downstream + p.service)
		if longest > tt.limit-500*time.Millisecond {
			t.Errorf("fast=%v: %s", tt.fast, longest)
		}
	}
}
