package demo

import (
	"testing"
	"time"

	"github.com/plimsoll-go/plimsoll/class"
	"github.com/plimsoll-go/plimsoll/cmd/plimsoll/internal/openloop"
)

func TestAccount(t *testing.T) {
	const ms = time.Millisecond
	phases := []phase{{name: "calm", load: 0.7, length: time.Second}, {name: "overload", load: 2, length: 2 * time.Second}}
	arrivals := []arrival{
		{100 * ms, 0, class.CriticalPlus},
		{900 * ms, 0, class.Sheddable},
		{1100 * ms, 1, class.CriticalPlus},
		{1200 * ms, 1, class.Sheddable},
		{1300 * ms, 1, class.Sheddable},
		{1400 * ms, 1, class.Critical},
		{1500 * ms, 1, class.Critical},
	}
	records := []openloop.Record{
		{Outcome: openloop.Good, Attempts: 1, Ended: 120 * ms, Latency: 20 * ms},
		{Outcome: openloop.Good, Attempts: 3, Ended: 1100 * ms, Latency: 40 * ms}, // due in the calm, answered in the overload
		{Outcome: openloop.Good, Attempts: 2, Ended: 3100 * ms, Latency: 30 * ms}, // answered when all was over
		{Outcome: openloop.Refused, Attempts: 3, Latency: ms},
		{Outcome: openloop.Late, Attempts: 3, Latency: time.Second},
		{Outcome: openloop.Failed, Attempts: 3},
		{},
	}
	got := account(phases, arrivals, records)

	calm := got[0]
	if calm.total != (tally{openloop.Good: 2}) || calm.attempts != 4 {
		t.Errorf("calm: %v in %d attempts", calm.total, calm.attempts)
	}
	if calm.answered != 1 || got[1].answered != 1 {
		t.Errorf("answered during the calm %d and the overload %d, want 1 and 1", calm.answered, got[1].answered)
	}
	if calm.p50 != 20*ms || calm.p99 != 40*ms {
		t.Errorf("calm: p50 %s, p99 %s", calm.p50, calm.p99)
	}
	over := got[1]
	if want := (tally{openloop.Good: 1, openloop.Refused: 1, openloop.Late: 1, openloop.Failed: 1, openloop.Unsent: 1}); over.total != want || over.total.offered() != 5 {
		t.Errorf("overload: %v, want %v", over.total, want)
	}
	if over.p50 != 30*ms || over.p99 != 30*ms {
		t.Errorf("overload: p50 %s, p99 %s: only the served count", over.p50, over.p99)
	}
	if got := over.classes[class.Sheddable.Lane()]; got != (tally{openloop.Refused: 1, openloop.Late: 1}) {
		t.Errorf("SHEDDABLE: %v", got)
	}
	if got := over.perSecond(3); got != 1.5 {
		t.Errorf("3 in 2 s: %v/s", got)
	}
}
