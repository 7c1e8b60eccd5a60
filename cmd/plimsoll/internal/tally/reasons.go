package tally

import (
	"maps"
	"slices"
	"unicode/utf8"
)

// maxReasons is how many reasons are told apart. What a service answers may be
// anything, and what is counted must stay small.
const maxReasons = 24

// maxReason is how long one is, in bytes.
const maxReason = 64

// Other is the reason of what came when there were too many, and of what is no
// text that a program could read.
const Other = "other"

// reasons counts by reason, of which it tells few apart.
type reasons map[string]int64

func (r reasons) add(why string) { r.count(why, 1) }

func (r reasons) count(why string, n int64) {
	if _, known := r[why]; !known && (r.named() >= maxReasons || len(why) > maxReason || !utf8.ValidString(why)) {
		why = Other
	}
	r[why] += n
}

// named is how many are told apart.
func (r reasons) named() int {
	if _, some := r[Other]; some {
		return len(r) - 1
	}
	return len(r)
}

func (r reasons) total() int64 {
	n := int64(0)
	for _, v := range r {
		n += v
	}
	return n
}

// merge adds what from has: all of it where r is empty, and always the same
// names.
func (r reasons) merge(from reasons) {
	for _, why := range slices.Sorted(maps.Keys(from)) {
		r.count(why, from[why])
	}
}

// copy is never nil, so that none reads {} and not null.
func (r reasons) copy() map[string]int64 { return maps.Clone(r) }
