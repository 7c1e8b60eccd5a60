package wire

import "strings"

// Sources is a set of places that a criticality is read from. The zero value
// is [DefaultSources].
type Sources uint8

// The sources, in the order in which they are asked: the first that can be
// read decides. What follows FromGRPC are hints, which rules by path or method
// go before.
const (
	// FromHeader is X-Request-Criticality.
	FromHeader Sources = 1 << iota
	// FromBaggage is the member criticality of W3C Baggage.
	FromBaggage
	// FromGRPC is the metadata key criticality of a gRPC request.
	FromGRPC
	// FromSecPurpose is Sec-Purpose: prefetch, which is SHEDDABLE.
	FromSecPurpose
	// FromPriority is the urgency of RFC 9218. It means the order of
	// transmission, not importance, and browsers send it, hence it is not
	// among the defaults.
	FromPriority

	// NoSources is what nobody can claim or hint at anything by. A signature
	// counts all the same: it has keys of its own.
	NoSources
)

// DefaultSources are those of a [Config] that does not say.
const DefaultSources = FromHeader | FromBaggage | FromGRPC | FromSecPurpose

// sourceNames has the names of the sources by their bit.
var sourceNames = [...]string{"header", "baggage", "grpc", "sec-purpose", "priority"}

// ParseSource reads the name of one source: header, baggage, grpc, sec-purpose
// or priority, in lower case.
func ParseSource(name string) (s Sources, ok bool) {
	for i, n := range sourceNames {
		if n == name {
			return 1 << i, true
		}
	}
	return 0, false
}

// String lists the names of the sources in the order in which they are asked;
// "none" for [NoSources].
func (s Sources) String() string {
	var names []string
	for i, n := range sourceNames {
		if s.orDefault()&(1<<i) != 0 {
			names = append(names, n)
		}
	}
	if names == nil {
		return "none"
	}
	return strings.Join(names, ", ")
}

func (s Sources) orDefault() Sources {
	if s == 0 {
		return DefaultSources
	}
	return s
}

// valid reports whether s has no bits but those above, and NoSources alone.
func (s Sources) valid() bool { return s <= NoSources }
