package retry_test

import (
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/plimsoll-go/plimsoll/retry"
)

// A request that has 400 ms is tried again once, and not a second time: that
// would begin too late.
func ExamplePolicy_Next() {
	policy := retry.Policy{Backoff: retry.Backoff{Base: 100 * time.Millisecond, Jitter: retry.NoJitter}}
	budget, random := retry.NewBudget(retry.BudgetConfig{Reserve: 1}), rand.New(rand.NewPCG(1, 2))
	budget.Request(0)
	failed := retry.Failed{Attempt: 1, Repeatable: retry.Idempotent("GET"), Deadline: 400 * time.Millisecond}
	fmt.Println(policy.Next(50*time.Millisecond, failed, budget, random))
	failed.Attempt = 2
	fmt.Println(policy.Next(200*time.Millisecond, failed, budget, random))
	// Output:
	// 100ms again
	// 0s no_time
}

func ExampleAfter() {
	local := time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)
	fmt.Println(retry.After([]string{"120"}, "", local))
	fmt.Println(retry.After([]string{"Mon, 30 Nov 2026 12:00:30 GMT"}, "", local))
	fmt.Println(retry.After([]string{"soon"}, "", local))
	// Output:
	// 2m0s
	// 30s
	// 0s
}
