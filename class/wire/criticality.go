package wire

import (
	"slices"

	"github.com/plimsoll-go/plimsoll/class"
)

// readCriticality finds what the caller claims, or what its headers hint at,
// and applies the ceiling.
func (c *Config) readCriticality(h map[string][]string, grpc bool, in *Incoming) {
	claim := claimed(h, grpc, &in.InvalidCriticality)
	if claim == class.Unset {
		claim = c.hinted(h)
		in.Hint = claim != class.Unset
	}
	if !c.Trusted {
		ceiling := c.Ceiling.OrDefault()
		switch {
		case claim > ceiling:
			claim, in.Clamped = ceiling, true
		case claim == class.Unset && ceiling < class.Default:
			claim, in.Hint = ceiling, true
		}
	}
	in.Criticality = claim
}

// claimed returns the criticality of the first source, by precedence, that can
// be read, or Unset.
func claimed(h map[string][]string, grpc bool, invalid *bool) class.Criticality {
	if v := h[CriticalityHeader]; len(v) > 0 {
		if c := lowest(v, invalid); c != class.Unset {
			return c
		}
	}
	if v := h[BaggageHeader]; len(v) > 0 {
		if c := baggageCriticality(v, invalid); c != class.Unset {
			return c
		}
	}
	if grpc {
		return lowest(h[grpcCriticalityHeader], invalid)
	}
	return class.Unset
}

// lowest returns the lowest criticality among the values of a header that can
// be read, or Unset.
func lowest(values []string, invalid *bool) class.Criticality {
	least := class.Unset
	for _, v := range values {
		c, ok := class.Parse(v)
		switch {
		case !ok:
			*invalid = true
		case least == class.Unset || c < least:
			least = c
		}
	}
	return least
}

// hinted returns the criticality that headers of another purpose suggest, or
// Unset.
func (c *Config) hinted(h map[string][]string) class.Criticality {
	if slices.ContainsFunc(h[secPurposeHeader], isPrefetch) {
		return class.Sheddable
	}
	if c.Priority {
		return urgencyCriticality(h[priorityHeader])
	}
	return class.Unset
}

// isPrefetch reports whether a Sec-Purpose says that no user waits for the
// answer yet: the token prefetch, with or without parameters.
func isPrefetch(s string) bool {
	const token = "prefetch"
	s = trim(s)
	if len(s) < len(token) || !folds(s[:len(token)], token) {
		return false
	}
	rest := trim(s[len(token):])
	return rest == "" || rest[0] == ';'
}
