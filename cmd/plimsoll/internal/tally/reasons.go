package tally

import (
	"maps"
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

func (r reasons) add(why string) {
	if _, known := r[why]; !known && (len(r) >= maxReasons || len(why) > maxReason || !utf8.ValidString(why)) {
		why = Other
	}
	r[why]++
}

func (r reasons) total() int64 {
	n := int64(0)
	for _, v := range r {
		n += v
	}
	return n
}

func (r reasons) merge(from reasons) {
	for why, n := range from {
		if _, known := r[why]; !known && len(r) >= maxReasons {
			why = Other
		}
		r[why] += n
	}
}

// copy is never nil, so that none reads {} and not null.
func (r reasons) copy() map[string]int64 { return maps.Clone(r) }
