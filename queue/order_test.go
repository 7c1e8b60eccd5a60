package queue

import (
	"testing"
	"time"
)

func TestOrders(t *testing.T) {
	runTimelines(t, []timeline{
		{"criticality before everything", Config{Places: 9, Order: NewestFirst}, `
			0 push a crit=sheddable level=127
			0 push b crit=critical
			0 push c crit=sheddable_plus
			0 push d crit=critical_plus
			0 push e crit=critical
			1 drain : d e b c a`},
		{"a level does not count in serving", Config{Places: 9, Order: OldestFirst}, `
			0 push a level=3
			0 push b level=127
			0 push c level=0
			1 drain : a b c`},
		{"oldest first, however long it stands", Config{Places: 9, Order: OldestFirst, NewestAbove: 1}, `
			0    push a
			1    push b
			2    push c
			5000 ask newest : false
			5000 drain : a b c`},
		{"newest first, always", Config{Places: 9, Order: NewestFirst}, `
			0 ask newest : true
			0 push a
			1 push b
			2 push c
			3 pop : c
			3 push d
			4 drain : d b a`},
		{"adaptive turns when it has stood for 100 ms", Config{Places: 9}, `
			10  push a
			20  push b
			30  push c
			40  push d
			109 ask newest : false
			109 pop : a
			110 ask standing : 100ms
			110 ask newest : true
			110 pop : d
			120 push e
			120 drain : e c b`},
		{"adaptive turns back once it was empty", Config{Places: 9}, `
			0   push a
			200 ask newest : true
			200 pop : a
			200 ask newest : false
			200 ask standing : 0s
			200 push b
			201 push c
			202 drain : b c`},
		{"a removed waiter can be the last one, too", Config{Places: 9}, `
			0   push a
			150 remove a
			160 push b
			161 push c
			250 drain : b c`},
		{"who takes a place leaves no gap", Config{Places: 1, Full: DropOldest}, `
			0   push a
			60  push b : for a
			99  ask newest : false
			100 ask newest : true`},
		{"where nobody waits below, it turns when it stands", Config{Places: 9}, `
			0   push a leave=500
			10  push b leave=510
			99  ask beside : false
			100 ask beside : true
			100 pop : b`},
		{"where somebody does, when three fifths of the oldest's time have passed", Config{Places: 9}, `
			0   push z crit=sheddable leave=900
			0   push a leave=500
			10  push b leave=510
			20  push c leave=520
			299 ask newest : true
			299 ask beside : false
			300 ask beside : true
			300 pop : c
			301 remove a
			309 ask beside : false
			309 pop : b
			310 pop : z`},
		{"or when the oldest does not leave by itself", Config{Places: 9}, `
			0   push z crit=sheddable leave=900
			0   push a
			10  push b
			99  ask beside : false
			100 ask beside : true
			100 drain : b a z`},
		{"each tenant of a criticality turns by itself", Config{Places: 9}, `
			0   push z crit=sheddable leave=900
			0   push a tenant=1 leave=500
			10  push b tenant=1 leave=510
			200 push c tenant=2 leave=700
			210 push d tenant=2 leave=710
			300 drain : b c a d z`},
		{"who was promoted waits from then on", Config{Places: 9, PromoteAfter: 200 * time.Millisecond}, `
			0   push a crit=sheddable_plus leave=500
			200 push z crit=sheddable leave=900
			210 push b leave=710
			379 ask beside : false
			380 ask beside : true
			380 drain : b a z`},
		{"adaptive turns above a depth", Config{Places: 9, NewestAbove: 2}, `
			0 push a
			0 push b
			0 ask newest : false
			0 push c
			0 ask newest : true
			1 pop : c
			1 ask newest : false
			1 pop : a`},
		{"the depth is that of all lanes", Config{Places: 9, NewestAbove: 2}, `
			0 push a
			0 push b
			0 push c crit=sheddable
			1 drain : b a c`},
		{"a standing time of one's own", Config{Places: 9, Standing: 7 * time.Millisecond}, `
			0 push a
			0 push b
			6 ask newest : false
			7 drain : b a`},
		{"standing off", Config{Places: 9, Standing: -1}, `
			0    push a
			0    push b
			9000 drain : a b`},
		{"time that runs backwards has not passed", Config{Places: 9}, `
			500 push a leave=550
			100 push b
			100 ask standing : 0s
			560 ask standing : 60ms
			400 expire :
			560 expire : a
			400 ask standing : 60ms`},
		{"earliest deadline first", Config{Places: 9, Order: EarliestDeadline}, `
			0 push a by=300
			0 push b by=100
			0 push c
			0 push d by=200
			0 push e by=100
			0 push f
			0 remove d
			1 drain : b e a c f`},
		{"earliest deadline inside each tenant", Config{Places: 9, Order: EarliestDeadline}, `
			0 push a1 tenant=1 by=900
			0 push a2 tenant=1 by=100
			0 push b1 tenant=2 by=800
			0 push b2 tenant=2 by=50
			1 drain : a2 b2 a1 b1`},
		{"a new order holds for who waits", Config{Places: 9, Order: OldestFirst}, `
			0 push a by=300
			0 push b by=100
			0 push c by=200
			0 push d by=150
			1 order earliest_deadline
			1 pop : b
			2 order newest_first
			2 pop : d
			3 order earliest_deadline
			3 push e by=20
			3 pop : e
			3 pop : c
			3 drain : a`},
	})
}

func TestExpiry(t *testing.T) {
	runTimelines(t, []timeline{
		{"who leaves, and when", Config{Places: 9}, `
			0  ask leave : never
			0  push a leave=50
			0  push b
			0  push c leave=30
			0  push d leave=30
			0  push e leave=90
			0  ask leave : 30ms
			30 expire :
			31 expire : c d
			31 ask leave : 50ms
			31 remove a
			31 ask leave : 90ms
			95 expire : e
			95 ask leave : never
			95 drain : b`},
		{"the dead are served until somebody asks for them", Config{Places: 9}, `
			0  push a leave=10
			20 pop : a`},
	})
}
