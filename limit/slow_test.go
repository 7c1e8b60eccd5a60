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
