package ladder

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/plimsoll-go/plimsoll/class"
)

// TestExercise: each tier that is off gets the share that was asked for, within
// a tenth over 100,000 requests, and no request more than one.
func TestExercise(t *testing.T) {
	for _, share := range []float64{0.01, 0.05, 0.2, 1} {
		c := checkout()
		c.Exercise = share
		l := New(c)
		l.Override(0, 3, Off)
		l.Observe(0, c.Tiers[0].On+1)
		r := rand.New(rand.NewPCG(1, 2))
		var got [4]int
		const n = 100_000
		for range n {
			d := l.Plan().Decide(class.Critical, r.Uint64())
			if !d.Active("reviews") || d.Exercised.Len() > 1 || d.Rung() != 1 {
				t.Fatalf("%+v", d)
			}
			for i := range got {
				if d.Exercised.Has(i) {
					got[i]++
				}
			}
		}
		want := min(share, 0.25)
		for i, g := range got {
			off := i == 1 || i == 2
			if off && math.Abs(float64(g)/n/want-1) > 0.1 || !off && g > 0 {
				t.Errorf("share %v: tier %d was exercised %d times of %d", share, i, g, n)
			}
		}
	}
	one := New(Config{Tiers: checkout().Tiers[:1], Exercise: 1})
	for _, draw := range []uint64{0, 1 << 63, math.MaxUint64 - 1} {
		if d := one.Plan().Decide(class.Critical, draw); d.Exercised != 1 {
			t.Errorf("all are to be exercised, %x is not", draw)
		}
	}
	none := New(Config{Tiers: checkout().Tiers, NoExercise: true})
	if d := none.Plan().Decide(class.Critical, 0); d.Tiers != 0 {
		t.Errorf("nobody is to be exercised: %+v", d)
	}
}

// TestDecision: the zero value is the full answer.
func TestDecision(t *testing.T) {
	var d Decision
	if d.Active("reviews") || d.Rung() != 0 || d.Names() != nil {
		t.Errorf("%+v", d)
	}
	l := New(checkout())
	l.Override(0, 0, On)
	l.Override(0, 2, On)
	d = l.Plan().Decide(class.Critical, math.MaxUint64)
	if got := d.Names(); !slices.Equal(got, []string{"reviews", "inventory"}) || d.Rung() != 2 || d.Active("nonsense") {
		t.Errorf("%+v: %v", d, got)
	}
}
