package demo

import (
	"testing"
	"time"

	"github.com/plimsoll-go/plimsoll/class"
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
	records := []record{
		{outcome: good, attempts: 1, ended: 120 * ms, latency: 20 * ms},
		{outcome: good, attempts: 3, ended: 1100 * ms, latency: 40 * ms}, // due in the calm, answered in the overload
		{outcome: good, attempts: 2, ended: 3100 * ms, latency: 30 * ms}, // answered when all was over
		{outcome: refused, attempts: 3, latency: ms},
		{outcome: late, attempts: 3, latency: time.Second},
		{outcome: failed, attempts: 3},
		{},
	}
	got := account(phases, arrivals, records)

	calm := got[0]
	if calm.total != (tally{good: 2}) || calm.attempts != 4 {
		t.Errorf("calm: %v in %d attempts", calm.total, calm.attempts)
	}
	if calm.answered != 1 || got[1].answered != 1 {
		t.Errorf("answered during the calm %d and the overload %d, want 1 and 1", calm.answered, got[1].answered)
	}
	if calm.p50 != 20*ms || calm.p99 != 40*ms {
		t.Errorf("calm: p50 %s, p99 %s", calm.p50, calm.p99)
	}
	over := got[1]
	if want := (tally{good: 1, refused: 1, late: 1, failed: 1, unsent: 1}); over.total != want || over.total.offered() != 5 {
		t.Errorf("overload: %v, want %v", over.total, want)
	}
	if over.p50 != 30*ms || over.p99 != 30*ms {
		t.Errorf("overload: p50 %s, p99 %s: only the served count", over.p50, over.p99)
	}
	if got := over.classes[class.Sheddable.Lane()]; got != (tally{refused: 1, late: 1}) {
		t.Errorf("SHEDDABLE: %v", got)
	}
	if got := over.perSecond(3); got != 1.5 {
		t.Errorf("3 in 2 s: %v/s", got)
	}
}

func TestQuantile(t *testing.T) {
	hundred := make([]time.Duration, 100)
	for i := range hundred {
		hundred[i] = time.Duration(100 - i)
	}
	for _, tt := range []struct {
		of   []time.Duration
		q    float64
		want time.Duration
	}{
		{nil, 0.99, 0},
		{[]time.Duration{7}, 0.5, 7},
		{hundred, 0, 1},
		{hundred, 0.5, 50},
		{hundred, 0.99, 99},
		{hundred, 1, 100},
	} {
		if got := quantile(tt.of, tt.q); got != tt.want {
			t.Errorf("quantile %v of %d: %v, want %v", tt.q, len(tt.of), got, tt.want)
		}
	}
}

func TestRecovery(t *testing.T) {
	const second = time.Second
	// 100 arrivals a second for 10 s; the overload ends at 4 s.
	every := make([]arrival, 1000)
	for i := range every {
		every[i] = arrival{at: time.Duration(i) * 10 * time.Millisecond}
	}
	for _, tt := range []struct {
		name string
		good func(at time.Duration) bool
		want time.Duration
		ok   bool
	}{
		{"never down", func(time.Duration) bool { return true }, 0, true},
		{"down during the overload only", func(at time.Duration) bool { return at >= 4*second }, 0, true},
		// A window may hold five bad of a hundred.
		{"two seconds more", func(at time.Duration) bool { return at >= 6*second }, 1950 * time.Millisecond, true},
		{"a relapse counts", func(at time.Duration) bool { return at < 7*second || at >= 8*second }, 3950 * time.Millisecond, true},
		{"95 % is enough", func(at time.Duration) bool { return at/(10*time.Millisecond)%20 != 0 }, 0, true},
		{"90 % is not", func(at time.Duration) bool { return at/(10*time.Millisecond)%10 != 0 }, 0, false},
		{"down to the end", func(at time.Duration) bool { return at < 4*second }, 0, false},
		{"back too late to tell", func(at time.Duration) bool { return at >= 9500*time.Millisecond }, 0, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			records := make([]record, len(every))
			for i, a := range every {
				records[i].outcome = late
				if tt.good(a.at) {
					records[i].outcome = good
				}
			}
			got, ok := recovery(every, records, 4*second, 10*second)
			if got != tt.want || ok != tt.ok {
				t.Errorf("got %s %v, want %s %v", got, ok, tt.want, tt.ok)
			}
		})
	}
}

func TestSlipIgnoresTheUnsent(t *testing.T) {
	got := slipP99([]record{{outcome: good, slip: time.Millisecond}, {slip: time.Hour}})
	if got != time.Millisecond {
		t.Errorf("got %s", got)
	}
}
