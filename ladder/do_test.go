package ladder

import (
	"context"
	"errors"
	"math"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/plimsoll-go/plimsoll/class"
)

var errBroken = errors.New("broken")

func gives(err error) func(context.Context) error {
	return func(context.Context) error { return err }
}

// with is a context in which the tiers of those names are on.
func with(b *Book, names ...string) context.Context {
	l := New(checkout())
	for _, n := range names {
		l.Override(0, l.Place(n), On)
	}
	return With(context.Background(), l.Plan().Decide(class.Critical, math.MaxUint64), b)
}

// TestActive: a context says what its request gets, and others the full answer.
func TestActive(t *testing.T) {
	ctx, cancel := context.WithCancel(with(nil, "images"))
	defer cancel()
	if !Active(ctx, "images") || Active(ctx, "reviews") || Active(ctx, "nonsense") || From(ctx).Rung() != 1 {
		t.Errorf("%+v", From(ctx))
	}
	if Active(context.Background(), "images") || From(context.Background()).Tiers != 0 {
		t.Error("nobody said so")
	}
}

// TestDo: one way or the other is taken, counted and timed, and what the tier
// saves comes of it.
func TestDo(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := NewBook(checkout(), nil)
		takes := func(d time.Duration, err error) func(context.Context) error {
			return func(context.Context) error { time.Sleep(d); return err }
		}
		full, cheap := takes(180*ms, nil), takes(2*ms, nil)
		for range 3 {
			if err := Do(with(b), "reviews", full, cheap); err != nil {
				t.Error(err)
			}
		}
		Do(with(b), "reviews", takes(60*ms, errBroken), cheap)
		for range 5 {
			if err := Do(with(b, "reviews"), "reviews", full, cheap); err != nil {
				t.Error(err)
			}
		}
		Do(with(b, "images"), "images", full, nil)
		all := b.Entries()
		got := all[0]
		if got.Full != (Way{4, 1, 600 * ms}) || got.Cheaper != (Way{5, 0, 10 * ms}) || got.Running != 0 {
			t.Errorf("%+v", got)
		}
		if d, ok := got.Saving(); !ok || d != 148*ms {
			t.Errorf("saves %v, %v", d, ok)
		}
		if d, ok := all[1].Saving(); ok {
			t.Errorf("nothing is known of %s, which saves %v", all[1].Name, d)
		}
		if all[3].Cheaper.Calls != 1 {
			t.Errorf("what is left out is counted: %+v", all[3])
		}
	})
}

// TestDoElsewhere: without a gate, or for no tier, the full way is taken.
func TestDoElsewhere(t *testing.T) {
	b := NewBook(checkout(), nil)
	for _, ctx := range []context.Context{context.Background(), with(nil), with(b)} {
		if err := Do(ctx, "nonsense", gives(errBroken), gives(nil)); err != errBroken {
			t.Error(err)
		}
	}
	if err := Do(with(nil), "reviews", gives(errBroken), gives(nil)); err != errBroken {
		t.Error(err)
	}
	if err := Do(with(nil, "reviews"), "reviews", gives(errBroken), nil); err != nil {
		t.Error(err)
	}
}

// TestExercisedFailure: exercise costs nobody an answer.
func TestExercisedFailure(t *testing.T) {
	b := NewBook(checkout(), nil)
	l := New(checkout())
	ctx := With(context.Background(), l.Plan().Decide(class.Critical, 0), b)
	if !From(ctx).Active("reviews") {
		t.Fatal("it is to be exercised")
	}
	if err := Do(ctx, "reviews", gives(nil), gives(errBroken)); err != nil {
		t.Error(err)
	}
	if e := b.Entries()[0]; e.Full.Calls != 1 || e.Cheaper.Failed != 1 {
		t.Errorf("%+v", e)
	}
	if err := Do(with(b, "reviews"), "reviews", gives(nil), gives(errBroken)); err != errBroken {
		t.Errorf("what is on for good has no other way: %v", err)
	}
}

// TestB55FallbackBound: fallbacks have a bound of their own, and who is above it
// hears so at once.
func TestB55FallbackBound(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := checkout()
		c.Tiers[0].Fallbacks = 10
		b := NewBook(c, nil)
		ctx := with(b, "reviews")
		var mu sync.Mutex
		var wg sync.WaitGroup
		running, most, served, full := 0, 0, 0, 0
		slow := func(context.Context) error {
			mu.Lock()
			running++
			most = max(most, running)
			mu.Unlock()
			time.Sleep(100 * ms)
			mu.Lock()
			running--
			mu.Unlock()
			return nil
		}
		for range 500 {
			wg.Go(func() {
				began := time.Now()
				err := Do(ctx, "reviews", gives(errBroken), slow)
				mu.Lock()
				defer mu.Unlock()
				switch {
				case err == nil:
					served++
				case errors.Is(err, ErrFull) && time.Since(began) <= 5*ms:
					full++
				default:
					t.Errorf("%v after %v", err, time.Since(began))
				}
			})
		}
		wg.Wait()
		if most != 10 || served != 10 || full != 490 {
			t.Errorf("%d at once, %d served, %d full", most, served, full)
		}
		if e := b.Entries()[0]; e.Turned != 490 || e.Cheaper.Calls != 10 || e.Running != 0 {
			t.Errorf("%+v", e)
		}
	})
}

// TestBookFails: a fallback that fails more often than the full way is said to
// fail, once, and no longer when it has proved itself; one that is no worse is
// not.
func TestBookFails(t *testing.T) {
	var news []bool
	b := NewBook(checkout(), func(tier string, failing bool) {
		if tier != "reviews" {
			t.Errorf("%s has failed", tier)
		}
		news = append(news, failing)
	})
	run := func(n int, tier string, full, cheap error) {
		for range n {
			Do(with(b), tier, gives(full), nil)
			Do(with(b, tier), tier, nil, gives(cheap))
		}
	}
	run(100, "images", errBroken, errBroken) // both fail
	run(100, "reviews", nil, nil)
	run(60, "reviews", nil, errBroken)
	if len(news) != 1 || !news[0] || !b.Entries()[0].Failing {
		t.Fatalf("%v, %+v", news, b.Entries()[0])
	}
	run(50, "reviews", nil, nil)
	if len(news) != 2 || news[1] || b.Entries()[0].Failing {
		t.Fatalf("%v, %+v", news, b.Entries()[0])
	}
	run(490, "reviews", nil, errBroken)
	b.Forget("reviews")
	b.Forget("nonsense")
	if len(news) != 3 || b.Entries()[0].Failing {
		t.Errorf("%v, %+v", news, b.Entries()[0])
	}
}

// TestDoLeft: a caller who has left says nothing of either way; a panic counts
// as a failure, and gives its place back.
func TestDoLeft(t *testing.T) {
	b := NewBook(checkout(), nil)
	ctx, cancel := context.WithCancel(with(b, "reviews"))
	cancel()
	Do(ctx, "reviews", nil, gives(context.Canceled))
	func() {
		defer func() { recover() }()
		Do(with(b, "reviews"), "reviews", nil, func(context.Context) error { panic("broken") })
	}()
	if e := b.Entries()[0]; e.Cheaper.Calls != 1 || e.Cheaper.Failed != 1 || e.Running != 0 {
		t.Errorf("%+v", e)
	}
}

// TestFollow: a book that is configured anew goes on with what it has.
func TestFollow(t *testing.T) {
	c := checkout()
	b := NewBook(c, nil)
	Do(with(b), "images", gives(nil), nil)
	c.Tiers = append([]Tier{{Name: "new", On: ms}}, c.Tiers[2:]...)
	n := b.Follow(c, nil)
	if all := n.Entries(); len(all) != 3 || all[0].Name != "new" || all[2].Full.Calls != 1 {
		t.Errorf("%+v", all)
	}
}
