package plimsoll_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/plimsoll-go/plimsoll"
	"github.com/plimsoll-go/plimsoll/ladder"
	"github.com/plimsoll-go/plimsoll/limit"
)

const ms = time.Millisecond

// shop is a gate of two slots in front of work of 100 ms that takes 50 without
// its reviews.
func shop(t *testing.T, change func(*plimsoll.Config)) *plimsoll.Gate {
	c := plimsoll.Config{
		Limit: limit.NewFixed(2), MaxWait: time.Second,
		Ladder: &ladder.Config{Tiers: []ladder.Tier{
			{Name: "reviews", On: 200 * ms}, {Name: "images", On: 800 * ms},
		}, NoExercise: true},
	}
	if change != nil {
		change(&c)
	}
	g, err := plimsoll.New(c)
	if err != nil {
		t.Fatal(err)
	}
	return g
}

func page(ctx context.Context) error {
	time.Sleep(50 * ms)
	return ladder.Do(ctx, "reviews", func(context.Context) error { time.Sleep(50 * ms); return nil }, nil)
}

// TestTiersBeforeRefusals: the queue's delay switches a tier on, which is told
// and seen, what is admitted then goes without, nobody is refused, and after a
// quiet time it is off again.
func TestTiersBeforeRefusals(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var mu sync.Mutex
		var told []string
		g := shop(t, func(c *plimsoll.Config) {
			c.OnTier = func(n plimsoll.TierChange) {
				mu.Lock()
				defer mu.Unlock()
				told = append(told, fmt.Sprintf("%s %s %v %v", n.Gate, n.Name, n.On, n.Cause))
				if n.On && (n.Delay() <= 200*ms || n.Time.IsZero()) {
					t.Errorf("%+v", n)
				}
			}
		})
		var wg sync.WaitGroup
		for range 80 { // 25 a second for 3.2 s, where 20 can be served
			wg.Go(func() {
				if err := g.Do(t.Context(), plimsoll.Work{}, page); err != nil {
					t.Error(err)
				}
			})
			time.Sleep(40 * ms)
		}
		wg.Wait()
		l := g.Snapshot().Ladder
		if !l.Tiers[0].On || l.Tiers[1].On || l.Rungs[0]+l.Rungs[1] != 80 || l.Rungs[1] < 20 || l.Rungs[2] > 0 {
			t.Errorf("%+v", l)
		}
		if d, ok := l.Tiers[0].Work.Saving(); !ok || d != 50*ms {
			t.Errorf("it saves %v, %v", d, ok)
		}
		time.Sleep(6 * time.Second)
		l = g.Snapshot().Ladder
		if l.Tiers[0].On || l.Changes != 2 || l.Tiers[0].Total < 5*time.Second || l.Tiers[0].Ups != 1 {
			t.Errorf("%+v", l)
		}
		mu.Lock()
		defer mu.Unlock()
		if want := []string{"gate reviews true delayed", "gate reviews false quiet"}; !slices.Equal(told, want) {
			t.Errorf("told %q, want %q", told, want)
		}
	})
}

// TestOverride: a person switches a tier for those who take a slot without the
// lock as well, and is told which tiers there are.
func TestOverride(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := shop(t, nil)
		active := func() (got string) {
			err := g.Do(t.Context(), plimsoll.Work{}, func(ctx context.Context) error {
				got = strings.Join(ladder.From(ctx).Names(), " ")
				return nil
			})
			if err != nil {
				t.Fatal(err)
			}
			return got
		}
		for range 3 { // the first goes by the lock, the others by the open word
			if got := active(); got != "" {
				t.Errorf("active: %q", got)
			}
		}
		if err := g.Override("images", ladder.On); err != nil {
			t.Error(err)
		}
		for range 3 {
			if got := active(); got != "images" {
				t.Errorf("active: %q", got)
			}
		}
		if err := g.Override("images", ladder.Auto); err != nil {
			t.Error(err)
		}
		if got := active(); got != "" {
			t.Errorf("active: %q", got)
		}
		if err := g.Override("nonsense", ladder.On); err == nil || !strings.Contains(err.Error(), "[reviews images]") {
			t.Error(err)
		}
		if err := g.Override("images", 3); err == nil {
			t.Error("there is no such mode")
		}
		if s := g.Snapshot().Ladder; s.Rungs[0] != 4 || s.Rungs[1] != 3 || s.Exercised != 0 {
			t.Errorf("%+v", s)
		}
	})
}

// TestNoTiers: a gate without tiers gives full answers, and says that it has none.
func TestNoTiers(t *testing.T) {
	g, err := plimsoll.New(plimsoll.Config{})
	if err != nil {
		t.Fatal(err)
	}
	ticket, err := g.Acquire(t.Context(), plimsoll.Work{})
	if err != nil {
		t.Fatal(err)
	}
	if ticket.Context(t.Context()) != t.Context() || ticket.Degraded().Tiers != 0 {
		t.Error("the context is as it was")
	}
	ticket.Release(plimsoll.Success)
	g.Signal(1)
	if err := g.Override("reviews", ladder.On); err == nil || !strings.Contains(err.Error(), "Config.Ladder") {
		t.Errorf("there is no tier: %v", err)
	}
	if g.Snapshot().Ladder != nil {
		t.Error("there is no ladder")
	}
}

// TestExerciseByTheWord: the share is what was asked for on the path that takes
// no lock, and is counted.
func TestExerciseByTheWord(t *testing.T) {
	g := shop(t, func(c *plimsoll.Config) { c.Ladder.NoExercise, c.Ladder.Exercise = false, 0.05 })
	exercised := 0
	const n = 100_000
	for range n {
		ticket, err := g.Acquire(t.Context(), plimsoll.Work{})
		if err != nil {
			t.Fatal(err)
		}
		if d := ticket.Degraded(); d.Exercised != 0 {
			exercised++
		}
		ticket.Release(plimsoll.Success)
	}
	if exercised < n*9/100 || exercised > n*11/100 { // 5 % for each of two tiers
		t.Errorf("%d of %d were exercised", exercised, n)
	}
	if s := g.Snapshot().Ladder; s.Exercised != uint64(exercised) || s.Rungs[0] != n {
		t.Errorf("%+v, but %d were exercised", s, exercised)
	}
}

// TestFailingFallback: a tier whose fallback fails switches itself off, which is
// seen, and a person gives it another chance.
func TestFailingFallback(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := shop(t, func(c *plimsoll.Config) { c.ServiceTime = 100 * ms })
		fails := func(ctx context.Context) error {
			return ladder.Do(ctx, "reviews", func(context.Context) error { return nil },
				func(context.Context) error { return errors.New("broken") })
		}
		run := func(n int) {
			for range n {
				g.Do(t.Context(), plimsoll.Work{}, fails)
			}
		}
		run(30)
		// Long work fills the queue: the tier goes on.
		var wg sync.WaitGroup
		for range 30 {
			wg.Go(func() {
				g.Do(t.Context(), plimsoll.Work{}, func(ctx context.Context) error {
					time.Sleep(100 * ms)
					return fails(ctx)
				})
			})
		}
		wg.Wait()
		s := g.Snapshot().Ladder.Tiers[0]
		if s.On || !s.Failing || !s.Work.Failing || s.Ups != 1 {
			t.Errorf("%+v", s)
		}
		if err := g.Override("reviews", ladder.Auto); err != nil {
			t.Error(err)
		}
		if s := g.Snapshot().Ladder.Tiers[0]; s.Failing || s.Work.Failing {
			t.Errorf("%+v", s)
		}
	})
}

// TestSignal: tiers may go by a signal of the user's own.
func TestSignal(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := shop(t, func(c *plimsoll.Config) {
			c.Ladder = &ladder.Config{Tiers: []ladder.Tier{{Name: "reviews", Above: 0.8}}}
		})
		g.Signal(0.9)
		if s := g.Snapshot().Ladder; !s.Tiers[0].On || s.Signal != 0.9 {
			t.Errorf("%+v", s)
		}
		g.Signal(0.1)
		time.Sleep(6 * time.Second)
		if s := g.Snapshot().Ladder; s.Tiers[0].On {
			t.Errorf("%+v", s)
		}
	})
}

// TestReconfigureTiers: tiers keep state and counts by their names.
func TestReconfigureTiers(t *testing.T) {
	g := shop(t, nil)
	g.Override("images", ladder.On)
	g.Do(t.Context(), plimsoll.Work{}, func(ctx context.Context) error { return ladder.Do(ctx, "images", nil, nil) })
	tiers := []ladder.Tier{{Name: "new", On: 100 * ms}, {Name: "images", On: 300 * ms}}
	if err := g.Reconfigure(plimsoll.Config{Ladder: &ladder.Config{Tiers: tiers}}); err != nil {
		t.Fatal(err)
	}
	s := g.Snapshot().Ladder
	if s.Tiers[0].On || !s.Tiers[1].On || s.Tiers[1].Mode != ladder.On || s.Tiers[1].Work.Cheaper.Calls != 1 {
		t.Errorf("%+v", s)
	}
	if err := g.Reconfigure(plimsoll.Config{}); err != nil {
		t.Fatal(err)
	}
	if g.Snapshot().Ladder != nil {
		t.Error("there are no tiers any more")
	}
	err := g.Reconfigure(plimsoll.Config{Ladder: &ladder.Config{Tiers: []ladder.Tier{{Name: "a"}, {Name: "a", On: time.Second}}}})
	if err == nil || strings.Count(err.Error(), "plimsoll: Config.Ladder.Tiers[") != 2 || !strings.Contains(err.Error(), "plimsoll: Config.Ladder: want tiers that go on below 500ms") {
		t.Error(err)
	}
}
