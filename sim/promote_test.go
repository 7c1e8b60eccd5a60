package sim

import (
	"testing"
	"time"

	"github.com/plimsoll-go/plimsoll/class"
	"github.com/plimsoll-go/plimsoll/queue"
)

// TestPromotion: live traffic that needs every slot starves a batch below it,
// which is set aside in the end. Promoted, it has its part, although there is
// more work than can be done, and no slot stays idle.
func TestPromotion(t *testing.T) {
	for _, after := range []time.Duration{0, 200 * ms} {
		job := Deterministic(10 * ms)
		s := Scenario{
			Length: 60 * time.Second,
			Sources: []Source{
				{Name: "live", Arrivals: Constant{Rate: 100}, Kinds: []Kind{{Name: "live", Service: job}}},
				{Name: "batch", Arrivals: Constant{Rate: 2}, Kinds: []Kind{{Name: "batch", Service: job, Criticality: class.Sheddable}}},
			},
			Stations: []Station{{Workers: 1, Gate: &Gate{
				Limit: Fixed(1), MaxWait: 2 * time.Second, Order: queue.OldestFirst, NoPrediction: true,
				PromoteAfter: after, DeadLetterAfter: time.Second,
			}}},
		}
		r := play(t, s, 1)
		live, batch := &r.Kinds[0], &r.Kinds[1]
		t.Logf("after %v: live %d of %d, batch %d of %d, %d set aside", after, live.Good, live.Offered, batch.Good, batch.Offered, batch.Refused[DeadLetter])
		if after == 0 && (batch.Good > 5 || batch.Refused[DeadLetter] < batch.Offered-5) {
			t.Errorf("without promotion %d of the batch were served, %d set aside", batch.Good, batch.Refused[DeadLetter])
		}
		if after > 0 && (batch.Good < batch.Offered/3 || live.Good+batch.Good < 5990) {
			t.Errorf("promoted after %v: %d of %d of the batch were served, %d live", after, batch.Good, batch.Offered, live.Good)
		}
	}
}
