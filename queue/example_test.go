package queue_test

import (
	"fmt"
	"time"

	"github.com/plimsoll-go/plimsoll/class"
	"github.com/plimsoll-go/plimsoll/queue"
)

// request is what waits: it carries its own place in the queue.
type request struct {
	place queue.Item
	path  string
}

func newRequest(now time.Duration, path string, c class.Criticality, timeout time.Duration) *request {
	r := &request{path: path}
	r.place = queue.Item{
		Owner:    r,
		Rank:     class.RankOf(c, 0),
		Arrived:  now,
		Deadline: now + timeout,
		Leave:    now + timeout,
	}
	return r
}

func owner(it *queue.Item) *request { return it.Owner.(*request) }

// A queue with two places, over which a burst of sheddable work comes first.
func Example() {
	q := queue.New()
	q.Configure(0, queue.Config{Places: 2})

	ms := time.Millisecond
	for _, r := range []*request{
		newRequest(0*ms, "/prefetch", class.Sheddable, 300*ms),
		newRequest(1*ms, "/related", class.Sheddable, 50*ms),
		newRequest(2*ms, "/ads", class.Sheddable, 300*ms),
		newRequest(3*ms, "/checkout", class.CriticalPlus, 300*ms),
	} {
		p := q.Push(r.place.Arrived, &r.place)
		switch {
		case p.Verdict == queue.Refused:
			fmt.Println(r.path, "is refused")
		case p.Evicted != nil:
			fmt.Println(r.path, "takes the place of", owner(p.Evicted).path)
		default:
			fmt.Println(r.path, "waits")
		}
	}

	now := 60 * ms
	for it := q.Expired(now); it != nil; it = q.Expired(now) {
		fmt.Println(owner(it).path, "has waited for too long")
	}
	for it := q.Pop(now); it != nil; it = q.Pop(now) {
		fmt.Println(owner(it).path, "is served after", now-it.Arrived)
	}
	// Output:
	// /prefetch waits
	// /related waits
	// /ads is refused
	// /checkout takes the place of /prefetch
	// /related has waited for too long
	// /checkout is served after 57ms
}

// Two tenants wait; the one that floods is served every other time.
func ExampleQueue_Pop_tenants() {
	q := queue.New()
	q.Configure(0, queue.Config{Places: 10})
	for _, tenant := range []uint64{1, 1, 1, 1, 1, 2, 2} {
		q.Push(0, &queue.Item{Tenant: tenant, Deadline: queue.Never, Leave: queue.Never})
	}
	for it := q.Pop(0); it != nil; it = q.Pop(0) {
		fmt.Print(it.Tenant, " ")
	}
	// Output: 1 2 1 2 1 1 1
}
