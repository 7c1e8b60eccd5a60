package demo

import (
	"slices"
	"testing"
	"time"

	"github.com/plimsoll-go/plimsoll/class"
	"github.com/plimsoll-go/plimsoll/cmd/plimsoll/internal/openloop"
)

func TestSeries(t *testing.T) {
	const ms = time.Millisecond
	p := plan{step: 100 * ms, phases: []phase{{name: "calm", load: 0.7, length: 200 * ms}, {name: "overload", load: 2, length: 100 * ms}}}
	arrivals := []arrival{
		{0, 0, class.Critical},
		{99 * ms, 0, class.Critical},
		{100 * ms, 0, class.Critical},
		{299 * ms, 1, class.Critical},
		{299 * ms, 1, class.Critical},
	}
	records := []openloop.Record{
		{Outcome: openloop.Good, Ended: 99 * ms},
		{Outcome: openloop.Good, Ended: 200 * ms}, // due in the first step, answered in the third
		{Outcome: openloop.Late, Ended: 120 * ms},
		{Outcome: openloop.Good, Ended: 300 * ms}, // answered when all was over
		{Outcome: openloop.Refused, Ended: 299 * ms},
	}
	got := p.series(arrivals, records, []int64{7, 8, 8, 11})
	if want := []moment{{2, 1, 1}, {1, 0, 0}, {2, 3, 1}}; !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	if calm, over := p.completionsIn(got, 0, 200*ms), p.completionsIn(got, 200*ms, 300*ms); calm != 1 || over != 3 {
		t.Errorf("%d and %d jobs finished, want 1 and 3", calm, over)
	}
	if got := p.perSecond(3); got != 30 {
		t.Errorf("3 in 100 ms: %v/s", got)
	}
}

func TestPhasesAreWholeSteps(t *testing.T) {
	for _, fast := range []bool{false, true} {
		p := newPlan(fast, 1)
		for _, ph := range slices.Concat(p.phases, p.slower) {
			if ph.length%p.step != 0 {
				t.Errorf("fast=%v: %s lasts %s, no multiple of %s", fast, ph.name, ph.length, p.step)
			}
		}
	}
}
