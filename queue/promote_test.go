package queue

import "testing"

func TestPromotion(t *testing.T) {
	c := Config{Places: 4, Order: OldestFirst, PromoteAfter: 10 * ms}
	newest := c
	newest.Order = NewestFirst
	shared := c
	shared.Shares = half()
	runTimelines(t, []timeline{
		{"a class for each time that has passed", c, `
			0  push s crit=sheddable
			5  push c
			9  ask worst : SHEDDABLE/0
			19 push d
			20 ask worst : SHEDDABLE_PLUS/0
			20 push e : queued
			20 ask worst : CRITICAL/0
			20 drain : c d s e`},
		{"up to the highest, behind who waits there", c, `
			0  push s crit=sheddable level=3
			1  push p crit=critical_plus
			29 push q crit=critical_plus
			30 push r crit=critical_plus
			31 push o crit=critical_plus level=1 : for p
			31 ask worst : CRITICAL_PLUS/0
			31 pop : q
			31 pop : s
			99 drain : r o`},
		{"in the order in which they are due, however late the queue is asked", c, `
			0  push a crit=sheddable
			2  push b crit=sheddable_plus
			4  push c crit=sheddable
			99 push d crit=critical_plus
			99 drain : b a c d`},
		{"newest first, the promoted is the latest", newest, `
			0  push s crit=sheddable_plus
			9  push c
			11 pop : s
			11 pop : c`},
		{"places are those of the lane it is in", shared, `
			0  push s1 crit=sheddable
			0  push s2 crit=sheddable
			0  push s3 crit=sheddable
			0  push s4 crit=sheddable
			5  push c1 : for s1
			10 push c2 : for s2
			20 ask depth : 4`},
		{"who leaves in time leaves from wherever it is", c, `
			0  push s crit=sheddable leave=15
			0  push d crit=critical_plus leave=15
			16 expire : d s`},
	})
}
