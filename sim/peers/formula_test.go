package peers

import (
	"testing"
	"time"

	"github.com/plimsoll-go/plimsoll/class"
	"github.com/plimsoll-go/plimsoll/sim"
)

const ms = time.Millisecond

// Envoy, by hand: minRTT 10 ms is measured with a limit of three; then
// L x g + sqrt(L x g) with g = 12.5 ms / the median, from a half to two.
func TestEnvoyByHand(t *testing.T) {
	e := NewEnvoy()
	now := time.Duration(0)
	feed := func(n int, took time.Duration) {
		for range n {
			e.End(sim.View{Now: now}, sim.Request{}, sim.Served{Admitted: now - took})
		}
	}
	now = 20 * ms
	feed(49, 10*ms)
	if e.Limit() != 3 || !e.measure {
		t.Fatalf("limit %d before fifty requests", e.Limit())
	}
	feed(1, 10*ms)
	for i, c := range []struct {
		took time.Duration
		want int
	}{
		{10 * ms, 5},   // 3.75 + 1.94
		{10 * ms, 8},   // 6.25 + 2.5
		{10 * ms, 13},  // 10 + 3.16
		{5 * ms, 31},   // 26 + 5.10
		{12500e3, 36},  // 31 + 5.57
		{100 * ms, 22}, // 18 + 4.24
		{100 * ms, 14}, // 11 + 3.32
	} {
		feed(9, c.took)
		now += 100 * ms
		e.Arrive(sim.View{Now: now}, sim.Request{})
		if e.Limit() != c.want {
			t.Fatalf("update %d: limit %d, want %d", i, e.Limit(), c.want)
		}
	}
	now += 70 * time.Second
	e.Arrive(sim.View{Now: now}, sim.Request{})
	if e.Limit() != 3 {
		t.Errorf("limit %d while minRTT is measured, want 3", e.Limit())
	}
	feed(49, 30*ms)
	e.End(sim.View{Now: now}, sim.Request{}, sim.Served{Admitted: now - time.Hour})
	if !e.measure {
		t.Error("a request from before the measurement was counted")
	}
	now += 50 * ms
	feed(50, 30*ms)
	if e.Limit() != 14 || e.minimum != 30*ms {
		t.Errorf("limit %d and minRTT %v after it, want 14 and 30ms", e.Limit(), e.minimum)
	}
}

// Nothing in flight keeps the limit from growing: three to a thousand in 17
// updates, at no load.
func TestEnvoyGrowsWithoutLoad(t *testing.T) {
	e := &Envoy{limit: 3, minimum: 10 * ms, due: time.Hour}
	for i := 1; i <= 17; i++ {
		e.samples = append(e.samples, 10*ms)
		e.turn(time.Duration(i) * 100 * ms)
	}
	if e.Limit() != 1000 {
		t.Errorf("limit %d after 17 updates, want 1000", e.Limit())
	}
}

// folly's Codel, by its waits: overloaded once the least of an interval was
// above 5 ms, and then the first of the next passes, and later ones up to 10 ms.
func TestCodelByHand(t *testing.T) {
	c := NewCodel()
	for i, s := range []struct {
		at, waited time.Duration
		want       bool
	}{
		{1 * ms, 50 * ms, true}, {50 * ms, 60 * ms, true}, {99 * ms, 20 * ms, true},
		{102 * ms, 30 * ms, true}, // an interval ends: overloaded; its first passes
		{103 * ms, 11 * ms, false}, {104 * ms, 10 * ms, true}, {150 * ms, 4 * ms, true}, {160 * ms, 11 * ms, false},
		{203 * ms, 40 * ms, true}, {204 * ms, 40 * ms, true}, // the least was 4 ms: calm
	} {
		if got := c.Begin(sim.View{Now: s.at}, sim.Request{}, s.waited); got != s.want {
			t.Errorf("step %d at %v after %v: %v, want %v", i, s.at, s.waited, got, s.want)
		}
	}
}

// DAGOR, by hand: a window whose mean wait is above 20 ms leaves 95 % of those
// admitted, the most important; a calm one lets 1 % of those that came more in.
func TestDAGORByHand(t *testing.T) {
	d := NewDAGOR()
	window := func(at time.Duration, waited time.Duration) (admitted int) {
		for i := range 1000 {
			r := sim.Request{Number: uint64(i), Rank: class.RankOf(class.FromLane(i%class.Count), 0)}
			if d.Arrive(sim.View{Now: at}, r) == sim.Admit {
				admitted++
				d.Begin(sim.View{}, r, waited)
			}
		}
		return admitted
	}
	got := []int{window(0, 21*ms), window(time.Second, 20*ms), window(2*time.Second, 21*ms), window(3*time.Second, 0)}
	for i, w := range [][2]int{{1000, 1000}, {940, 950}, {950, 962}, {900, 915}} {
		if got[i] < w[0] || got[i] > w[1] {
			t.Errorf("window %d admitted %d, want %v", i, got[i], w)
		}
	}
}

// BBR, by hand: two passed in a bucket at most, and the least mean latency was
// 250 ms, two and a half buckets: five may be in flight, while the load is high.
func TestBBRByHand(t *testing.T) {
	b := NewBBR()
	for i, at := range []time.Duration{510, 520, 630} {
		took := []time.Duration{200 * ms, 300 * ms, 900 * ms}[i]
		b.End(sim.View{Now: at * ms, Busy: 4, Workers: 4}, sim.Request{}, sim.Served{Admitted: at*ms - took})
	}
	at := sim.View{Now: time.Second, InFlight: 6, Busy: 4, Workers: 4}
	if got := b.most(at.Now); got != 5 {
		t.Errorf("%d may be in flight, want 5", got)
	}
	if b.Arrive(at, sim.Request{}) != sim.Admit {
		t.Error("refused while the smoothed load is low")
	}
	at.Now = 9 * time.Second
	if b.look(at); b.load < bbrLoad {
		t.Errorf("load %.2f after nine seconds of all workers", b.load)
	}
	if b.Arrive(at, sim.Request{}) != sim.Refuse {
		t.Error("admitted above the bound")
	}
	at.InFlight = 5
	if b.Arrive(at, sim.Request{}) != sim.Admit {
		t.Error("refused at the bound")
	}
}
