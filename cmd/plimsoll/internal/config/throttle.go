package config

import (
	"fmt"
	"strconv"
	"time"

	"go.yaml.in/yaml/v3"

	"github.com/plimsoll-go/plimsoll/client"
	"github.com/plimsoll-go/plimsoll/throttle"

	"github.com/plimsoll-go/plimsoll/cmd/plimsoll/internal/strict"
)

// Throttle holds back what an upstream would refuse. The zero value: nothing
// is. They compare with ==.
type Throttle struct {
	// K is how many requests are sent for each that is accepted. 0: there is no
	// throttle.
	K float64
	// Over is how long a request counts.
	Over time.Duration
}

func newThrottle() Throttle { return Throttle{K: throttle.DefaultK, Over: throttle.DefaultWindow} }

var throttleKind = maybeFrom(newThrottle, object(newThrottle,
	member("k", factor(1, 1e6), func(t *Throttle) *float64 { return &t.K },
		"How many requests are sent for each that the service accepts; the others are answered 503 here. Whatever it refuses, one a second is sent."),
	member("over", duration(false), func(t *Throttle) *time.Duration { return &t.Over },
		"How long a request counts."),
))

// call is what it makes of a client.
func (t Throttle) call(c *client.Config) {
	if t != (Throttle{}) {
		c.Throttle = &throttle.Config{K: t.K, Window: t.Over}
	}
}

// factor reads a number with or without decimals, from least to most.
func factor(least, most float64) kind[float64] {
	show := func(f float64) string { return strconv.FormatFloat(f, 'f', -1, 64) }
	return kind[float64]{
		read: func(r *reader, v strict.Value, to *float64) {
			f, err := strconv.ParseFloat(v.Text, 64)
			if !v.Scalar("!!int", "!!float") || err != nil || !(f >= least && f <= most) {
				r.WantNot(v, "a number from %s to %s", show(least), show(most))
				return
			}
			*to = f
		},
		node: func(f float64) *yaml.Node {
			return &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!float", Value: show(f)}
		},
		schema: schema{"type": "number", "minimum": least, "maximum": most},
		shape:  fmt.Sprintf("number, %s to %s", show(least), show(most)),
	}
}
