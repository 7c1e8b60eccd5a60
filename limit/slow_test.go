package limit_test

import (
	"testing"
	"time"
)

// TestOneSlowWorker: a single worker of five answers a second, asked for twice
// that, with or without a calm before. A limit whose slots all wait in the
// backend makes everybody late, and by how much does not differ from step to
// step until it is low enough: that is no loss that comes at any limit.
func TestOneSlowWorker(t *testing.T) {
	for _, calm := range []time.Duration{0, 60 * sec} {
		for _, patience := range []time.Duration{sec, 2 * sec} {
			for seed := range uint64(5) {
				w := &world{
					seed: seed, workers: crew(1), deadline: patience, algorithm: auto(), service: always(200 * ms),
					rate: func(now time.Duration) float64 {
						if now < calm {
							return 2.5
						}
						return 10
					},
				}
				w.run(calm + 180*sec)
				if got := w.goodput(calm+60*sec, calm+180*sec); got < 4.5 {
					t.Errorf("calm %v, patience %v, seed %d: %.2f in time a second, want 4.5 of 5", calm, patience, seed, got)
				}
			}
		}
	}
}

// TestOneSlowWorkerOfChance is the same with exponential times: what a few
// answers say of a step down is mostly chance, and most of what finishes is late
// all the while.
func TestOneSlowWorkerOfChance(t *testing.T) {
	sum := 0.0
	for seed := range uint64(8) {
		w := &world{
			seed: seed, workers: crew(1), deadline: sec, algorithm: auto(), service: exponential(200 * ms),
			rate: func(time.Duration) float64 { return 10 },
		}
		w.run(240 * sec)
		got := w.goodput(60*sec, 240*sec)
		t.Logf("seed %d: %.2f in time a second of 5", seed, got)
		if sum += got / 8; got < 3.5 {
			t.Errorf("seed %d: %.2f in time a second, want 3.5 of 5", seed, got)
		}
	}
	if sum < 4 {
		t.Errorf("%.2f in time a second in the mean, want 4 of 5", sum)
	}
}
