package openloop

import (
	"context"
	"math"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

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
		if got := Quantile(tt.of, tt.q); got != tt.want {
			t.Errorf("quantile %v of %d: %v, want %v", tt.q, len(tt.of), got, tt.want)
		}
	}
}

func TestRecovery(t *testing.T) {
	const second = time.Second
	// 100 arrivals a second for 10 s; the overload ends at 4 s.
	every := make([]time.Duration, 1000)
	for i := range every {
		every[i] = time.Duration(i) * 10 * time.Millisecond
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
			records := make([]Record, len(every))
			for i, at := range every {
				records[i].Outcome = Late
				if tt.good(at) {
					records[i].Outcome = Good
				}
			}
			got, ok := Recovery(every, records, 4*second, 10*second)
			if got != tt.want || ok != tt.ok {
				t.Errorf("got %s %v, want %s %v", got, ok, tt.want, tt.ok)
			}
		})
	}
}

func TestSlipIgnoresTheUnsent(t *testing.T) {
	got := SlipP99([]Record{{Outcome: Good, Slip: time.Millisecond}, {Slip: time.Hour}})
	if got != time.Millisecond {
		t.Errorf("got %s", got)
	}
}

func TestMedianRate(t *testing.T) {
	start := time.Unix(0, 0)
	// each is an answer every 5 ms, seen when late says.
	each := func(n int, late func(at time.Duration) time.Duration) []time.Time {
		var out []time.Time
		for i := range n {
			at := time.Duration(i) * 5 * time.Millisecond
			out = append(out, start.Add(late(at)))
		}
		return out
	}
	onTime := func(at time.Duration) time.Duration { return at }
	// stall holds back what is due in [from, to) until to.
	stall := func(from, to time.Duration) func(time.Duration) time.Duration {
		return func(at time.Duration) time.Duration {
			if at >= from && at < to {
				return to
			}
			return at
		}
	}
	const ms = time.Millisecond
	for _, tt := range []struct {
		name  string
		times []time.Time
		want  float64
	}{
		{"steady", each(200, onTime), 200},
		{"an odd number", each(201, onTime), 200},
		{"a stall at the beginning", each(200, stall(0, 150*ms)), 200},
		{"a stall in the middle", each(200, stall(400*ms, 600*ms)), 200},
		{"a stall at the end", each(200, stall(850*ms, 1000*ms)), 200},
		{"half the rate", each(200, func(at time.Duration) time.Duration { return 2 * at }), 100},
		{"nobody", nil, 0},
		{"one is no rate", each(1, onTime), 0},
		{"all at once", each(10, func(time.Duration) time.Duration { return 0 }), 0},
	} {
		if got := MedianRate(tt.times); math.Abs(got-tt.want) > 1e-6 {
			t.Errorf("%s: %v, want %v", tt.name, got, tt.want)
		}
	}
}

func TestPlaySendsAtItsTimes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		times := []time.Duration{0, time.Second, time.Second, 3 * time.Second}
		// The first takes longer than the whole schedule.
		records := Play(t.Context(), times, func(i int) Record {
			time.Sleep(10 * time.Second / time.Duration(i+1))
			return Record{Outcome: Good, Attempts: i}
		})
		for i, r := range records {
			want := Record{Outcome: Good, Attempts: i, Ended: times[i] + 10*time.Second/time.Duration(i+1)}
			if r != want {
				t.Errorf("%d: %+v, want %+v", i, r, want)
			}
		}
	})
}

func TestPlayStops(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		records := Play(ctx, []time.Duration{0, time.Second}, func(int) Record {
			cancel()
			return Record{Outcome: Good}
		})
		if records[0].Outcome != Good || records[1].Outcome != Unsent {
			t.Errorf("%+v", records)
		}
	})
}

func TestClosedMeasuresWhatCanBeHad(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var asked atomic.Int64
		rate, err := Closed(t.Context(), 4, 100*time.Millisecond, time.Second, 10*time.Second, func(ctx context.Context) Outcome {
			n := asked.Add(1)
			Pause(ctx, 100*time.Millisecond)
			if n%2 == 0 {
				return Refused
			}
			return Good
		})
		if err != nil || math.Abs(rate-20) > 0.5 {
			t.Errorf("%v a second, %v; want half of 40", rate, err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if _, err := Closed(ctx, 4, 0, 0, time.Second, func(context.Context) Outcome { return Good }); err == nil {
			t.Error("no error when interrupted")
		}
		if _, err := Closed(t.Context(), 1, 0, 0, time.Second, func(ctx context.Context) Outcome { Pause(ctx, time.Millisecond); return Late }); err == nil {
			t.Error("no error when nobody is answered")
		}
	})
}
