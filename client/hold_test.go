package client

import (
	"context"
	"errors"
	"sync"
	"testing"
	"time"

	"github.com/plimsoll-go/plimsoll/breaker"
	"github.com/plimsoll-go/plimsoll/class"
)

// TestHoldKeepsItsPlace: until it ends, however often it is told to.
func TestHoldKeepsItsPlace(t *testing.T) {
	virtual(t, func(t *testing.T) {
		c := made(t, Config{MaxInFlight: 1})
		h, err := c.Hold(t.Context(), Op{})
		if err != nil {
			t.Fatal(err)
		}
		h.Answered()
		_, err = c.Hold(t.Context(), Op{})
		ended(t, err, NoPlace, 0)
		var all sync.WaitGroup
		for range 10 {
			all.Go(func() { h.End(nil) })
		}
		all.Wait()
		if s := c.Status(); s.InFlight != 0 || s.Requests != 2 || s.Attempts != 1 {
			t.Errorf("%+v", s)
		}
		if h.Context().Err() == nil {
			t.Error("its context outlives it")
		}
	})
}

// TestHoldIsJudgedByItsBeginning: a stream that is answered is a success, though
// it lasts for hours and breaks; one that is not is a hang or a failure.
func TestHoldIsJudgedByItsBeginning(t *testing.T) {
	slow := &breaker.Config{Slow: time.Second, SlowShare: 0.5, Samples: 1}
	for name, tc := range map[string]struct {
		rule     *breaker.Config
		answered bool
		lasts    time.Duration
		err      error
		want     breaker.State
	}{
		"answered, and lasts":        {slow, true, time.Hour, nil, breaker.Closed},
		"not answered, and lasts":    {slow, false, 2 * time.Second, nil, breaker.Open},
		"answered, and breaks":       {&breaker.Config{Failures: 1}, true, ms, errDown, breaker.Closed},
		"breaks before it is":        {&breaker.Config{Failures: 1}, false, ms, errDown, breaker.Open},
		"ends without anything else": {&breaker.Config{Failures: 1}, false, ms, nil, breaker.Closed},
	} {
		t.Run(name, func(t *testing.T) {
			virtual(t, func(t *testing.T) {
				c := made(t, Config{Breaker: tc.rule})
				h, err := c.Hold(t.Context(), Op{})
				if err != nil {
					t.Fatal(err)
				}
				if tc.answered {
					h.Answered()
				}
				time.Sleep(tc.lasts)
				h.End(tc.err)
				if s := c.Status().Breakers[class.Critical.Lane()].State; s != tc.want {
					t.Errorf("the breaker is %v, want %v", s, tc.want)
				}
			})
		})
	}
}

// TestHoldOfACallerWhoLeaves says nothing of the destination.
func TestHoldOfACallerWhoLeaves(t *testing.T) {
	virtual(t, func(t *testing.T) {
		c := made(t, Config{Breaker: &breaker.Config{Failures: 1}})
		ctx, cancel := context.WithCancel(t.Context())
		h, err := c.Hold(ctx, Op{})
		if err != nil {
			t.Fatal(err)
		}
		cancel()
		h.End(errors.New("canceled, as a text"))
		s := c.Status()
		if s.Breakers[class.Critical.Lane()].State != breaker.Closed || s.Refused[CallerLeft] != 1 {
			t.Errorf("%+v", s)
		}
		_, err = c.Hold(ctx, Op{})
		ended(t, err, CallerLeft, 0)
	})
}

// TestHoldLeavesAMargin, and takes no place with too little time.
func TestHoldLeavesAMargin(t *testing.T) {
	virtual(t, func(t *testing.T) {
		c := made(t, Config{Margin: 5 * ms, Timeout: ms})
		ctx, cancel := context.WithTimeout(t.Context(), 20*ms)
		defer cancel()
		h, err := c.Hold(ctx, Op{})
		if err != nil {
			t.Fatal(err)
		}
		if deadline, _ := h.Context().Deadline(); time.Until(deadline) != 15*ms {
			t.Errorf("%v are left, want 15 ms", time.Until(deadline))
		}
		h.End(nil)
		_, err = c.Hold(ctx, Op{Need: 200 * ms})
		ended(t, err, NoTime, 0)
	})
}

// TestHoldGivesItsPlaceBackWhateverClassifyDoes, and the panic goes on.
func TestHoldGivesItsPlaceBackWhateverClassifyDoes(t *testing.T) {
	virtual(t, func(t *testing.T) {
		c := made(t, Config{MaxInFlight: 1, Breaker: &breaker.Config{Failures: 1}, Classify: func(err error) Answer {
			panic(err)
		}})
		h, err := c.Hold(t.Context(), Op{})
		if err != nil {
			t.Fatal(err)
		}
		func() {
			defer func() {
				if recover() != errDown {
					t.Error("the panic has ended somewhere")
				}
			}()
			h.End(errDown)
		}()
		s := c.Status()
		if s.InFlight != 0 || h.Context().Err() == nil || s.Breakers[class.Critical.Lane()].State != breaker.Open {
			t.Errorf("%+v", s)
		}
	})
}
