package queue

import "testing"

func TestSmallestCost(t *testing.T) {
	runTimelines(t, []timeline{
		{"smallest first, equals in order of arrival", Config{Places: 9, Order: SmallestCost}, `
			0 push a cost=5
			0 push b cost=2
			0 push c cost=9
			0 push d cost=2
			0 push e
			1 drain : e b d a c`},
		{"criticality comes first", Config{Places: 9, Order: SmallestCost}, `
			0 push a cost=1 crit=sheddable
			0 push b cost=9
			1 drain : b a`},
		{"the order can be turned on and off", Config{Places: 9, Order: OldestFirst}, `
			0 push a cost=9 by=7
			0 push b cost=5 by=9
			0 push c cost=7 by=5
			1 order smallest_cost
			1 pop : b
			1 order earliest_deadline
			1 push d cost=1 by=9
			1 pop : c
			1 order oldest_first
			1 drain : a d`},
	})
}

// TestLargeWorkDoesNotStarve: small work that comes without end overtakes a
// large piece until eight times its cost is served, and no longer.
func TestLargeWorkDoesNotStarve(t *testing.T) {
	for _, large := range []int64{2, 10, 100} {
		q := New()
		q.Configure(0, Config{Places: 10, Order: SmallestCost})
		big := &Item{Cost: large, Leave: Never}
		q.Push(0, big)
		served := int64(0)
		for {
			q.Push(0, &Item{Cost: 1, Leave: Never})
			if q.Pop(0) == big {
				break
			}
			served++
		}
		if served > ageing*large || served < ageing*(large-1)-1 {
			t.Errorf("work of %d waits while %d is served, want at most %d", large, served, ageing*large)
		}
	}
}

func TestDropLargest(t *testing.T) {
	runTimelines(t, []timeline{
		{"of all that rank alike, the one with most work left", Config{Places: 3, Full: DropLargest, Order: OldestFirst}, `
			0 push a cost=5
			0 push b cost=9
			0 push c cost=9
			0 push d cost=9 : refused
			0 push e cost=10 : refused
			0 push f cost=6 : for b
			0 push g cost=1 : for c
			0 push h cost=7 : refused
			1 drain : a f g`},
		{"rank comes first", Config{Places: 2, Full: DropLargest}, `
			0 push a cost=9 level=1
			0 push b cost=1
			0 push c cost=5 level=1 : for b
			0 push d cost=1 : refused
			0 push e cost=4 level=1 : for a`},
		{"what has waited counts less", Config{Places: 2, Full: DropLargest, Order: NewestFirst}, `
			0 push a cost=3
			0 push b cost=16
			0 pop : b
			1 push c cost=4
			1 push d cost=2 : for c
			1 push e cost=1 : for d`},
		{"tenants share first", Config{Places: 3, Full: DropLargest}, `
			0 push a1 tenant=1 cost=1
			0 push a2 tenant=1 cost=1
			0 push a3 tenant=1 cost=1
			0 push b tenant=2 cost=9 : for the share of a1`},
	})
}
