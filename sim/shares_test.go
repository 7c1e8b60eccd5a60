package sim

import (
	"math"
	"testing"
	"time"

	"github.com/plimsoll-go/plimsoll/class"
	"github.com/plimsoll-go/plimsoll/queue"
)

// liveAndBatch is jobs of one length, batch always and live from 20 s to 80 s,
// each more than there are slots for, under guarantees of 90 % and 10 %.
func liveAndBatch(slots int, shares queue.Shares, need time.Duration) Scenario {
	source := func(name string, c class.Criticality, a Arrivals) Source {
		return Source{Name: name, Arrivals: a, Kinds: []Kind{{Name: name, Criticality: c, Service: Deterministic(need), Client: Client{Patience: time.Minute}}}}
	}
	rate := 4 * float64(slots) / need.Seconds()
	gate := &Gate{Limit: Fixed(slots), MaxWait: 5 * time.Second, Order: queue.OldestFirst, Shares: shares, NoPrediction: true}
	return Scenario{
		Length: 100 * time.Second, Bucket: 100 * ms,
		Sources: []Source{
			source("batch", class.Sheddable, Constant{Rate: rate}),
			source("live", class.Critical, Constant{Rate: rate, From: 20 * time.Second, To: 80 * time.Second}),
		},
		Stations: []Station{{Workers: slots, Gate: gate}},
	}
}

// started is how many jobs of a kind were begun in a time, of all that were.
func started(r *Report, kind int, from, to time.Duration) float64 {
	return float64(begun(r.Kinds[kind].Series, r.Bucket, from, to)) / float64(begun(r.Series, r.Bucket, from, to))
}

func begun(series []Point, bucket, from, to time.Duration) (n uint64) {
	for _, p := range series[from/bucket : to/bucket] {
		n += p.Started
	}
	return n
}

// TestB48GuaranteedShares: of 90 % for live traffic and 10 % for a batch, what
// live traffic does not use is the batch's, and is back with live traffic
// within one service time; and neither gets less than its own, although each
// alone would fill the queue (Netflix/concurrency-limits#120).
func TestB48GuaranteedShares(t *testing.T) {
	var shares queue.Shares
	shares[class.Critical.Lane()], shares[class.Sheddable.Lane()] = 90, 10
	for _, slots := range []int{3, 10, 25, 200} {
		r := play(t, liveAndBatch(slots, shares, time.Second), 1)
		for at := 2 * time.Second; at < 19*time.Second; at += time.Second {
			if n := begun(r.Kinds[0].Series, r.Bucket, at, at+time.Second); n != uint64(slots) {
				t.Errorf("%d slots: alone, the batch had %d of them at %v", slots, n, at)
			}
		}
		// Live traffic fills the queue within 0.3 s. Jobs begun in the second
		// after that are all that hold a slot at its end.
		if got := started(r, 1, 20300*ms, 21300*ms); got < 0.9 {
			t.Errorf("%d slots: one service time after it came back, live traffic had %.3f of them", slots, got)
		}
		live, batch := started(r, 1, 22*time.Second, 80*time.Second), started(r, 0, 22*time.Second, 80*time.Second)
		t.Logf("%d slots: live %.3f, batch %.3f", slots, live, batch)
		if math.Abs(live-0.9) > 0.02 || math.Abs(batch-0.1) > 0.02 {
			t.Errorf("%d slots: live %.3f, batch %.3f, want 0.9 and 0.1", slots, live, batch)
		}
		if got := started(r, 0, 86*time.Second, 100*time.Second); got < 1 {
			t.Errorf("%d slots: alone again, the batch had %.3f of them", slots, got)
		}
	}
}

// TestShareOfOneClass: who is guaranteed a part takes no more than that from
// those who rank above it, whatever its size beside a slot.
func TestShareOfOneClass(t *testing.T) {
	t.Parallel()
	for _, part := range []int{1, 5, 10, 33, 50} {
		for _, slots := range []int{1, 3, 10, 64} {
			var shares queue.Shares
			shares[class.Sheddable.Lane()] = part
			r := play(t, liveAndBatch(slots, shares, 100*ms), 1)
			got := started(r, 0, 30*time.Second, 80*time.Second)
			if math.Abs(got-float64(part)/100) > 0.01 {
				t.Errorf("%d slots, %d percent: %.4f", slots, part, got)
			}
		}
	}
}
