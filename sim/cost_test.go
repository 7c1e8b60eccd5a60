package sim

import (
	"testing"
	"time"

	"github.com/plimsoll-go/plimsoll/queue"
)

// smallAndLarge is nine jobs of 2 ms, of cost 1, to one of 50 ms, of cost 25,
// at so much of what one worker can do.
func smallAndLarge(load float64, g *Gate) Scenario {
	client := Client{Patience: 10 * time.Second}
	s := simple(5*time.Minute, Poisson{Rate: load / 0.0068}, Kind{}, Station{Workers: 1, Gate: g})
	s.Sources[0].Kinds = []Kind{
		{Name: "small", Weight: 9, Service: Deterministic(2 * ms), Cost: 1, Client: client},
		{Name: "large", Service: Deterministic(50 * ms), Cost: 25, Client: client},
	}
	return s
}

// TestSmallestCostFirst: small work first shortens the mean wait, and large
// work is served all the same.
func TestSmallestCostFirst(t *testing.T) {
	mean := map[queue.Order]float64{}
	for _, o := range []queue.Order{queue.OldestFirst, queue.SmallestCost} {
		g := bounded(1, 10_000)
		g.Order = o
		r := play(t, smallAndLarge(0.9, g), 1)
		mean[o] = r.Total.Waits.Mean().Seconds()
		t.Logf("%v: mean wait %.4f s, of large work %v, at most %v", o, mean[o], r.Kinds[1].Waits.Mean(), r.Kinds[1].Waits.Quantile(0.999))
		if r.Total.Good != r.Total.Offered {
			t.Errorf("%v: %d of %d in time", o, r.Total.Good, r.Total.Offered)
		}
	}
	if mean[queue.SmallestCost] > mean[queue.OldestFirst]/2 {
		t.Errorf("mean wait %v s smallest first, %v s oldest first", mean[queue.SmallestCost], mean[queue.OldestFirst])
	}
}

// TestRefusingTheLargest: of twice as much work as can be done, more pieces are
// done when the full queue refuses large ones, and large ones still have a part.
func TestRefusingTheLargest(t *testing.T) {
	good := map[queue.Full]uint64{}
	for _, f := range []queue.Full{queue.Refuse, queue.DropLargest} {
		g := bounded(1, 50)
		g.Full = f
		r := play(t, smallAndLarge(2, g), 1)
		good[f] = r.Total.Good
		t.Logf("%v: %d of %d small, %d of %d large", f, r.Kinds[0].Good, r.Kinds[0].Offered, r.Kinds[1].Good, r.Kinds[1].Offered)
		if f == queue.DropLargest && r.Kinds[1].Good < r.Kinds[1].Offered/20 {
			t.Errorf("%v: only %d of %d large", f, r.Kinds[1].Good, r.Kinds[1].Offered)
		}
	}
	if good[queue.DropLargest] < good[queue.Refuse]*3/2 {
		t.Errorf("%d served when the largest are refused, %d when the latest are", good[queue.DropLargest], good[queue.Refuse])
	}
}
