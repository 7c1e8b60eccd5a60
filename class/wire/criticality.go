package wire

import (
	"slices"

	"github.com/plimsoll-go/plimsoll/class"
)

// readCriticality finds what the caller claims, or what its headers hint at,
// and applies the ceiling. What a signature vouches for is a claim, and no
// other is more.
func (c *Config) readCriticality(h map[string][]string, grpc bool, vouched class.Criticality, in *Incoming) {
	sources := c.Sources.orDefault()
	claim := sources.claimed(h, grpc, &in.InvalidCriticality)
	if vouched != class.Unset {
		in.Clamped = in.Clamped || claim > vouched
		if claim == class.Unset || claim > vouched {
			claim = vouched
		}
	}
	if claim == class.Unset {
		claim = sources.hinted(h)
		in.Hint = claim != class.Unset
	}
	switch ceiling := c.ceiling(vouched); {
	case claim > ceiling:
		claim, in.Clamped = ceiling, true
	case claim == class.Unset && ceiling < class.Default:
		claim, in.Hint = ceiling, true
	}
	in.Criticality = claim
}

// claimed returns the criticality of the first source, by precedence, that can
// be read, or Unset.
func (s Sources) claimed(h map[string][]string, grpc bool, invalid *bool) class.Criticality {
	if s&FromHeader != 0 {
		if v := h[CriticalityHeader]; len(v) > 0 {
			if c := lowest(v, invalid); c != class.Unset {
				return c
			}
		}
	}
	if s&FromBaggage != 0 {
		if v := h[BaggageHeader]; len(v) > 0 {
			if c := baggageCriticality(v, invalid); c != class.Unset {
				return c
			}
		}
	}
	if grpc && s&FromGRPC != 0 {
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
func (s Sources) hinted(h map[string][]string) class.Criticality {
	if s&FromSecPurpose != 0 && slices.ContainsFunc(h[secPurposeHeader], isPrefetch) {
		return class.Sheddable
	}
	if s&FromPriority != 0 {
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
