package limit_test

import (
	"fmt"
	"time"

	"github.com/plimsoll-go/plimsoll/limit"
)

// cautious is an algorithm of one's own: a slot more for every window that used
// all of them, a quarter less for one in which something was lost.
type cautious struct{ limit int }

func (c *cautious) Start() limit.Next {
	c.limit = 20
	return c.next(false)
}

func (c *cautious) Fold(w limit.Window) limit.Next {
	full := w.MaxInFlight >= w.Limit
	switch {
	case w.Lost > 0:
		c.limit -= c.limit / 4
	case full:
		c.limit++
	}
	return c.next(full)
}

func (c *cautious) next(saturated bool) limit.Next {
	return limit.Next{Limit: c.limit, MinSamples: 10, MinTime: 100 * time.Millisecond, MaxTime: time.Second, Saturated: saturated}
}

// A gate is told of an algorithm by its Config.Limit, and folds the windows.
func ExampleAlgorithm() {
	var algorithm limit.Algorithm = &cautious{}
	next := algorithm.Start()
	for _, w := range []limit.Window{
		{MaxInFlight: 12, Completed: 40, Good: 40},
		{MaxInFlight: 20, Completed: 90, Good: 90},
		{MaxInFlight: 21, Completed: 90, Good: 80, Lost: 10},
	} {
		w.Limit = next.Limit
		next = algorithm.Fold(w)
		fmt.Println(next.Limit)
	}
	// Output:
	// 20
	// 21
	// 16
}

// The default needs no bounds; these are for a backend of which something is known
// that no measurement shows. What is wrong with them is said at once.
func ExampleNewAuto() {
	fmt.Println(limit.NewAuto(limit.AutoConfig{Max: 200}).Start().Limit)
	fmt.Println(limit.NewAuto(limit.AutoConfig{Min: 50, Max: 10}).Validate())
	// Output:
	// 20
	// limit: Auto: Min 50 is above Max 10: lower Min or raise Max
}
