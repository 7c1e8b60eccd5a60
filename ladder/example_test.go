package ladder_test

import (
	"context"
	"fmt"
	"time"

	"github.com/plimsoll-go/plimsoll/class"
	"github.com/plimsoll-go/plimsoll/ladder"
)

// A product page does without the summary of its reviews while the queue is long.
func Example() {
	l := ladder.New(ladder.Config{
		Tiers: []ladder.Tier{
			{Name: "reviews", On: 200 * time.Millisecond},
			{Name: "recommendations", On: 400 * time.Millisecond},
		},
		NoExercise: true,
	})
	t, _ := l.Observe(time.Second, 250*time.Millisecond)
	fmt.Println(t.Name, t.On, t.Delay())

	ctx := ladder.With(context.Background(), l.Plan().Decide(class.Critical, 0), nil)
	fmt.Println(ladder.Active(ctx, "reviews"), ladder.Active(ctx, "recommendations"))
	// Output:
	// reviews true 250ms
	// true false
}

// Do takes the full way or the cheaper one.
func ExampleDo() {
	summary := func(context.Context) error { fmt.Println("asking the model"); return nil }
	_ = ladder.Do(context.Background(), "reviews", summary, nil)
	// Output: asking the model
}
