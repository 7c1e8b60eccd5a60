package class_test

import (
	"fmt"
	"time"

	"github.com/plimsoll-go/plimsoll/class"
)

func ExampleParse() {
	for _, s := range []string{"CRITICAL_PLUS", " sheddable ", "vip"} {
		c, ok := class.Parse(s)
		fmt.Println(c, ok, c.OrDefault())
	}
	// Output:
	// CRITICAL_PLUS true CRITICAL_PLUS
	// SHEDDABLE true SHEDDABLE
	// UNSET false CRITICAL
}

// One comparison says who is refused first.
func ExampleRankOf() {
	batch := class.RankOf(class.Sheddable, 120)
	alice := class.RankOf(class.Critical, 40)
	bob := class.RankOf(class.Critical, 41)
	fmt.Println(batch < alice, alice < bob, alice)
	// Output: true true CRITICAL/40
}

// The same users lose for an hour, in every process, and then others.
func ExampleLevelOf() {
	const hour = 490_000 // time.Now().Unix() / 3600
	for h := range int64(3) {
		fmt.Println(class.LevelOf("alice", class.Salt(hour+h)))
	}
	// Output:
	// 48
	// 5
	// 2
}

// A hop passes on what is left of the time that it was given.
func ExampleLeft() {
	given := 800 * time.Millisecond
	waited := 120 * time.Millisecond
	fmt.Println(class.Left(given, waited, 5*time.Millisecond))
	fmt.Println(class.Left(given, time.Second, 5*time.Millisecond))
	// Output:
	// 675ms
	// 0s
}
