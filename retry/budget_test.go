package retry

import (
	"testing"
	"time"
)

const ms = time.Millisecond

// TestBudget: how many retries there may be at once, after what has gone
// before.
func TestBudget(t *testing.T) {
	type load struct {
		for_    time.Duration
		rate    int // requests a second
		retries int // a second that are asked for
	}
	for name, tc := range map[string]struct {
		of   BudgetConfig
		gone []load
		want int
	}{
		"nothing yet":                     {BudgetConfig{Share: 0.1}, nil, 0},
		"a reserve of ten seconds":        {BudgetConfig{Share: 0.1, Reserve: 10}, nil, 100},
		"ten requests, and the reserve":   {BudgetConfig{Share: 0.1, Reserve: 10}, []load{{time.Second, 10, 0}}, 101},
		"nine requests":                   {BudgetConfig{Share: 0.1}, []load{{time.Second, 9, 0}}, 0},
		"the default share":               {BudgetConfig{}, []load{{time.Second, 100, 0}}, 10},
		"no share":                        {BudgetConfig{Share: -1, Reserve: 1}, []load{{time.Second, 1000, 0}}, 10},
		"a calm day banks no more":        {BudgetConfig{Share: 0.1, Reserve: 10}, []load{{1000 * time.Second, 1000, 0}}, 1100},
		"what is used is used":            {BudgetConfig{Share: 0.1, Reserve: 10}, []load{{1000 * time.Second, 100, 5}}, 150},
		"an outage":                       {BudgetConfig{Share: 0.1}, []load{{1000 * time.Second, 100, 0}, {100 * time.Second, 100, 100}}, 0},
		"after ten idle minutes":          {BudgetConfig{Share: 0.1}, []load{{time.Second, 1000, 1000}, {10 * time.Minute, 0, 0}}, 0},
		"and one busy second after those": {BudgetConfig{Share: 0.1}, []load{{time.Second, 1000, 1000}, {10 * time.Minute, 0, 0}, {time.Second, 100, 0}}, 10},
	} {
		b, now := NewBudget(tc.of), time.Duration(0)
		for _, l := range tc.gone {
			// Retries spread over the second as requests do.
			for end := now + l.for_; now < end; now += time.Second {
				for i := range l.rate {
					at := now + time.Second*time.Duration(i)/time.Duration(l.rate)
					b.Request(at)
					for range l.retries*(i+1)/l.rate - l.retries*i/l.rate {
						b.Retry(at)
					}
				}
			}
		}
		got := 0
		for b.Retry(now - 1) {
			got++
		}
		if got != tc.want {
			t.Errorf("%s: %d retries, want %d", name, got, tc.want)
		}
	}
}

// TestBudgetInAnyWindow: a million good requests, then an outage at 1,000 a
// second: within any ten seconds there are no more retries than a tenth of the
// requests of twice that time, and the reserve.
func TestBudgetInAnyWindow(t *testing.T) {
	b := NewBudget(BudgetConfig{Share: 0.1, Reserve: 10})
	var granted []time.Duration
	for i := range 1_100_000 {
		now := time.Duration(i) * ms
		b.Request(now)
		if i >= 1_000_000 && b.Retry(now) {
			granted = append(granted, now)
		}
	}
	first := 0
	for i, at := range granted {
		for at-granted[first] >= 10*time.Second {
			first++
		}
		if n := i - first + 1; n > 2100 {
			t.Fatalf("%d retries in the ten seconds up to %v", n, at)
		}
	}
	if n := len(granted); n < 10_000 || n > 11_200 {
		t.Errorf("%d retries in 100 s, want a tenth of the requests and the reserve", n)
	}
}
