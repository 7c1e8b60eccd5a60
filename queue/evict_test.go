package queue

import (
	"testing"
)

func TestFull(t *testing.T) {
	runTimelines(t, []timeline{
		{"no places", Config{}, `
			0 ask room : false false
			0 push a : refused`},
		{"refuse", Config{Places: 2}, `
			0 push a : queued
			0 ask room : true true
			0 push b : queued
			0 ask room : false false
			0 push c : refused
			0 push d internal : refused
			1 pop : a
			1 push e : queued`},
		{"drop newest", Config{Places: 1, Full: DropNewest}, `
			0 push a : queued
			0 push b : refused`},
		{"drop oldest", Config{Places: 2, Full: DropOldest}, `
			0 push a : queued
			0 push b : queued
			0 push c : for a
			0 push d : for b
			0 drain : c d`},
		{"drop oldest is among equals", Config{Places: 2, Full: DropOldest}, `
			0 push a level=5
			0 push b level=9
			0 push c level=4 : refused
			0 push d level=5 : for a
			0 push e crit=sheddable level=127 : refused`},
		{"block", Config{Places: 1, Blocked: 2, Full: Block}, `
			0 push a : queued
			0 push b : refused
			0 ask room : false true
			0 push c internal : queued
			0 push d internal : queued
			0 push e internal : refused
			0 push f crit=critical_plus : for a
			0 ask depth : 3`},
		{"lowered bounds evict nobody", Config{Places: 3}, `
			0 push a
			0 push b
			0 push c
			1 places 1
			1 ask depth : 3
			1 pop : a
			1 pop : b
			1 push d : refused
			1 push e crit=critical_plus : for c
			1 places 0
			1 push f crit=critical_plus : refused
			1 push g crit=critical_plus level=1 : for e`},
	})
}

func TestEviction(t *testing.T) {
	runTimelines(t, []timeline{
		{"the lowest rank, of several the oldest", Config{Places: 5}, `
			0 push a crit=sheddable level=7
			0 push b crit=sheddable level=2
			0 push c crit=sheddable level=2
			0 push d crit=sheddable_plus
			0 push e crit=critical
			0 ask worst : SHEDDABLE/2
			1 push f crit=critical : for b
			1 push g crit=sheddable level=3 : for c
			1 push h crit=sheddable level=3 : refused
			1 push i crit=sheddable level=4 : for g
			1 push j crit=sheddable_plus : for i
			1 push k crit=critical_plus : for a
			1 push l crit=critical_plus : for d
			1 push m crit=critical_plus : for j
			1 push n crit=critical_plus level=1 : for e
			1 drain : k l m n f`},
		{"the dead before anybody alive", Config{Places: 3}, `
			0  push a crit=critical_plus leave=20
			0  push b crit=sheddable
			0  push c crit=critical_plus leave=10
			10 push d crit=sheddable : refused
			11 push d crit=sheddable : for dead c
			21 push e crit=sheddable : for dead a
			22 push f crit=sheddable : refused`},
		{"work of no criticality is critical", Config{Places: 1}, `
			0 push a crit=sheddable level=127
			0 push b : for a
			0 push c level=1 : for b
			0 ask worst : CRITICAL/1`},
	})
}

func TestTenantsShareAFullQueue(t *testing.T) {
	runTimelines(t, []timeline{
		{"longest queue drop", Config{Places: 4}, `
			0 push a1 tenant=1
			0 push a2 tenant=1
			0 push a3 tenant=1
			0 push a4 tenant=1
			0 push a5 tenant=1 : refused
			0 push b1 tenant=2 : for the share of a1
			0 push b2 tenant=2 : for the share of a2
			0 push b3 tenant=2 : refused
			0 push a6 tenant=1 : refused
			0 push c1 tenant=3 : for the share of a3
			0 push c2 tenant=3 : refused
			0 drain : a4 b1 c1 b2`},
		{"those without tenant share as one", Config{Places: 3}, `
			0 push a1
			0 push a2
			0 push a3
			0 ask tenanted : false
			0 push a4 : refused
			0 push b1 tenant=7 : for the share of a1
			0 ask tenanted : true
			0 push a5 : refused
			0 remove b1
			0 ask tenanted : false`},
		{"a tenant of another criticality does not count", Config{Places: 3}, `
			0 push a1 tenant=1
			0 push a2 tenant=1
			0 push c1 crit=critical_plus tenant=2
			0 push b1 tenant=2 : for the share of a1`},
		{"rank comes before share", Config{Places: 3}, `
			0 push a1 tenant=1 level=9
			0 push a2 tenant=1 level=9
			0 push a3 tenant=1 level=9
			0 push b1 tenant=2 level=8 : refused
			0 push a4 tenant=1 level=10 : for a1
			0 push b2 tenant=2 level=9 : for the share of a2`},
		{"the longest has nobody of that rank", Config{Places: 4}, `
			0 push a1 tenant=1 level=9
			0 push a2 tenant=1 level=9
			0 push a3 tenant=1 level=9
			0 push b1 tenant=2
			0 push c1 tenant=3 : refused
			0 push c1 tenant=3 : refused
			0 remove a1
			0 push a4 tenant=1
			0 push c1 tenant=3 : for the share of a4`},
		{"of several longest, the one that waits longest", Config{Places: 6}, `
			0 push b1 tenant=2
			0 push a1 tenant=1
			0 push a2 tenant=1
			0 push b2 tenant=2
			0 push c1 tenant=3
			0 push c2 tenant=3
			0 push d1 tenant=4 : for the share of b1
			0 push d2 tenant=4 : refused`},
		{"under drop oldest, a flood displaces itself", Config{Places: 3, Full: DropOldest}, `
			0 push b1 tenant=2
			0 push a1 tenant=1
			0 push a2 tenant=1
			0 push a3 tenant=1 : for a1
			0 push a4 tenant=1 : for a2
			0 push c1 tenant=3 : for the share of a3
			0 push d1 tenant=4 : for b1`},
	})
}
