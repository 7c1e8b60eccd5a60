package overload

import (
	"context"
	"math"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/plimsoll-go/plimsoll/bench/internal/backend"
)

const ms = time.Millisecond

func TestArrivalsDependOnTheirArgumentsAlone(t *testing.T) {
	a := arrivals(800, 100*time.Second, 1)
	if !slices.Equal(a, arrivals(800, 100*time.Second, 1)) || slices.Equal(a, arrivals(800, 100*time.Second, 2)) {
		t.Error("not a function of rate, length and seed")
	}
	// Four standard deviations of a Poisson count.
	if n := float64(len(a)); math.Abs(n-80_000) > 4*math.Sqrt(80_000) || !slices.IsSorted(a) {
		t.Errorf("%v arrivals, want about 80000 in order", n)
	}
}

func TestPlayIsAnOpenLoop(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		// One job of 300 ms at a time, callers who leave after 550 ms, one a
		// tenth of a second: the second is late by its own clock, not by that
		// of a generator that waited for the first.
		s := backend.NewSlots(1, 300*ms)
		defer s.Stop()
		due := []time.Duration{0, 100 * ms, 200 * ms, 3000 * ms}
		turnsAway := func(ctx context.Context, work func(context.Context) error) error {
			if s.Waiting() >= 2 {
				return errRefused
			}
			return work(ctx)
		}
		left := false
		got := play(due, 550*ms, turnsAway, s.Serve, func() { left = true })
		want := []record{
			{due: 0, sent: 0, ended: 300 * ms, ending: good},
			{due: 100 * ms, sent: 100 * ms, ended: 600 * ms, ending: good},
			{due: 200 * ms, sent: 200 * ms, ended: 750 * ms, ending: late}, // its job is done all the same
			{due: 3000 * ms, sent: 3000 * ms, ended: 3300 * ms, ending: good},
		}
		if !slices.Equal(got, want) || !left {
			t.Errorf("got  %v\nwant %v", got, want)
		}
	})
}

func TestPlayCountsRefusals(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		refuse := func(context.Context, func(context.Context) error) error { return errRefused }
		got := play([]time.Duration{ms, 2 * ms}, time.Second, refuse, nil, func() {})
		for _, r := range got {
			if r.ending != refused || r.ended != r.due {
				t.Errorf("%+v", r)
			}
		}
	})
}

func TestSlotsAreFullWhileSomebodyWaits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := backend.NewSlots(Slots, SlotService)
		defer s.Stop()
		if n := len(closedLoop(loopCallers*Slots, 10*time.Second, s.Serve)); n < 4000 || n > 4000+loopCallers*Slots {
			t.Errorf("%d answers in 10 s, want 4000 and those of the last round", n)
		}
	})
}

func TestFigures(t *testing.T) {
	var records []record
	for i := range 700 { // a hundred a second; the sixth second has every other one
		at := time.Duration(i) * 10 * ms
		r := record{due: at, sent: at, ended: at, ending: good}
		if at >= 5*time.Second && at < 6*time.Second && i%2 == 0 {
			r.ending = refused
		}
		records = append(records, r)
	}
	f := figures("x", records, 7*time.Second, 100)
	if f.Goodput != 75 || f.OfCapacity != 0.75 || f.Worst != 0.5 || f.Refused != 0.25 || f.Late != 0 || f.Offered != 100 {
		t.Errorf("%+v", f)
	}
	g := f
	g.OfCapacity, g.Worst = 0.85, 0.7
	if m := Median([]Figures{f, g, g}); m.OfCapacity != 0.85 || m.Worst != 0.7 || m.Policy != "x" {
		t.Errorf("%+v", m)
	}
}

// TestPolicies has every limiter do one piece of work, and say of an error that
// it is the work's and no refusal.
func TestPolicies(t *testing.T) {
	Quiet()
	for _, p := range policies {
		g, err := p.start()
		if err != nil {
			t.Fatalf("%s: %v", p.name, err)
		}
		did := 0
		work := func(context.Context) error { did++; return nil }
		if err := g(t.Context(), work); err != nil || did != 1 {
			t.Errorf("%s: %v, done %d times", p.name, err, did)
		}
		fails := func(context.Context) error { return context.DeadlineExceeded }
		if err := g(t.Context(), fails); err != context.DeadlineExceeded {
			t.Errorf("%s: %v, want the work's own error", p.name, err)
		}
	}
}

// TestRunsMeasureEverything plays runs too short to say anything but that every
// figure is there.
func TestRunsMeasureEverything(t *testing.T) {
	if testing.Short() {
		t.Skip("six seconds each")
	}
	Quiet()
	p := Plan{Length: settle + time.Second, Measure: 50 * ms, Load: 2, Deadline: time.Second, Seed: 1}
	// One after the other: handlers that spin leave nothing to anybody else.
	t.Run("slots", func(t *testing.T) {
		all, err := RunSlots(p)
		if err != nil || len(all) != len(policies)+1 || all[0].Policy != Plimsoll || all[len(all)-1].Policy != Control {
			t.Fatalf("%v, %v", all, err)
		}
		for _, f := range all {
			if f.Capacity <= 0 || f.Offered <= 0 || len(f.Seconds) != 6 {
				t.Errorf("%+v", f)
			}
		}
	})
	t.Run("spin", func(t *testing.T) {
		f, err := RunSpin(p, Plimsoll)
		if err != nil || f.Capacity <= 0 || f.Offered <= 0 || len(f.Seconds) != 6 {
			t.Errorf("%+v, %v", f, err)
		}
	})
}

func TestRunSpinKnowsItsPolicies(t *testing.T) {
	if _, err := RunSpin(Plan{}, "nobody"); err == nil {
		t.Error("no error")
	}
}
