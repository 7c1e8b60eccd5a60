package checkout

import (
	"testing"
	"time"

	"github.com/plimsoll-go/plimsoll/class"
	"github.com/plimsoll-go/plimsoll/cmd/plimsoll/internal/openloop"
)

func TestScheduleIsEven(t *testing.T) {
	steps := []step{{rate: 2, settle: time.Second}, {rate: 4, settle: 250 * time.Millisecond, counted: 750 * time.Millisecond}}
	times, classes := schedule(steps)
	const ms = time.Millisecond
	want := []time.Duration{250 * ms, 750 * ms, 1125 * ms, 1375 * ms, 1625 * ms, 1875 * ms}
	if len(times) != len(want) || len(classes) != len(want) {
		t.Fatalf("%v, %v", times, classes)
	}
	for i := range want {
		if times[i] != want[i] {
			t.Errorf("%d: %s, want %s", i, times[i], want[i])
		}
	}
}

func TestTheMixIsWhole(t *testing.T) {
	sum, counts := 0.0, map[class.Criticality]int{}
	for _, m := range mix {
		sum += m.share
	}
	_, classes := schedule([]step{{rate: 1000, counted: 10 * time.Second}})
	for _, c := range classes {
		counts[c]++
	}
	if sum < 0.999 || sum > 1.001 {
		t.Errorf("shares add up to %v", sum)
	}
	for _, m := range mix {
		if got := float64(counts[m.class]) / float64(len(classes)); got < m.share-0.02 || got > m.share+0.02 {
			t.Errorf("%s: %v, want %v", m.class, got, m.share)
		}
	}
}

func TestAccount(t *testing.T) {
	const s = time.Second
	steps := []step{{rate: 1, settle: s, counted: 2 * s}}
	times := []time.Duration{s / 2, 3 * s / 2, 2 * s, 5 * s / 2, 5 * s / 2}
	classes := []class.Criticality{class.Critical, class.CriticalPlus, class.CriticalPlus, class.Sheddable, class.Critical}
	records := []openloop.Record{
		{Outcome: openloop.Good, Ended: 2 * s},                 // due while it settled, reached in the counted part
		{Outcome: openloop.Good, Ended: 3 * s / 2, Latency: 4}, // counted
		{Outcome: openloop.Refused, Ended: 2 * s},
		{Outcome: openloop.Late, Ended: 5 * s},
		{Outcome: openloop.Good, Ended: 5 * s, Latency: 8}, // reached afterwards
	}
	readings := []reading{{pages: 10}, {pages: 20}, {pages: 26, sent: 12, refusals: []time.Duration{3, 1, 2}, tiers: []string{"sentiment"}}}
	r := account(steps, times, classes, records, readings)[0]
	for _, v := range []struct {
		what      string
		got, want float64
	}{
		{"offered", r.offered, 2}, {"attempts", r.attempts, 6}, {"completed", r.completed, 3}, {"goodput", r.goodput, 1},
		{"refused", r.refused, 0.5}, {"late", r.late, 0.5}, {"failed", r.failed, 0}, {"p50", float64(r.p50), 4}, {"p99", float64(r.p99), 8},
		{"refusal", float64(r.refusal), 2}, {"lost", float64(r.lost), 2}, {"visitors", float64(r.visitors), 5},
		{"paid", float64(r.paid), 1}, {"payers", float64(r.payers), 2},
	} {
		if v.got != v.want {
			t.Errorf("%s: %v, want %v", v.what, v.got, v.want)
		}
	}
	if len(r.tiers) != 1 {
		t.Errorf("tiers %v", r.tiers)
	}
}
