package config

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/plimsoll-go/plimsoll/cmd/plimsoll/internal/strict"
)

// Bytes is a size in bytes.
type Bytes int64

// unit is a unit of sizes.
type unit struct {
	name string
	size Bytes
}

// The units of sizes, largest first; those of 1024 before those of 1000.
var units = []unit{
	{"GiB", 1 << 30}, {"MiB", 1 << 20}, {"KiB", 1 << 10},
	{"GB", 1e9}, {"MB", 1e6}, {"kB", 1e3}, {"B", 1},
}

// String returns the size with the largest unit that it is a whole number of.
func (b Bytes) String() string {
	if b == 0 {
		return "0"
	}
	for _, u := range units {
		if b%u.size == 0 {
			return strconv.FormatInt(int64(b/u.size), 10) + u.name
		}
	}
	return "" // every size is a whole number of bytes
}

// ParseBytes reads a size: a whole number with a unit right behind it, or 0.
func ParseBytes(s string) (Bytes, bool) {
	if s == "0" {
		return 0, true
	}
	digits := strings.TrimRight(s, "GMKkiB")
	n, err := strconv.ParseUint(digits, 10, 63)
	if err != nil {
		return 0, false
	}
	for _, u := range units {
		if name := s[len(digits):]; name == u.name || name == "KB" && u.name == "kB" {
			return Bytes(n) * u.size, n <= math.MaxInt64/uint64(u.size)
		}
	}
	return 0, false
}

// size reads a size from least to most.
func size(least, most Bytes) kind[Bytes] {
	form := schema{"type": "string", "pattern": `^(0|[0-9]+(B|kB|KB|MB|GB|KiB|MiB|GiB))$`}
	s := form
	if least == 0 {
		s = schema{"anyOf": []schema{{"const": 0}, form}}
	}
	return kind[Bytes]{
		read: func(r *reader, v strict.Value, to *Bytes) {
			b, ok := ParseBytes(v.Text)
			switch {
			case !v.Scalar("!!str", "!!int") || !ok:
				r.WantNot(v, "a size; it needs a unit right behind a whole number, such as 64KiB or 10MB")
			case b < least || b > most:
				r.WantNot(v, "a size from %s to %s", least, most)
			default:
				*to = b
			}
		},
		node:   func(b Bytes) *yaml.Node { return word(b.String()) },
		schema: s,
		shape:  fmt.Sprintf("size, %s to %s", least, most),
	}
}
