package wire

import "strings"

// Dialects is a set of headers that the next hop is told its remaining time
// in. The zero value is [DialectPlimsoll]. A gRPC request carries grpc-timeout
// whatever is in the set.
type Dialects uint8

// The dialects.
const (
	// DialectPlimsoll is X-Request-Timeout-Ms, or [Config.TimeoutHeader].
	DialectPlimsoll Dialects = 1 << iota
	// DialectGRPC is grpc-timeout on what is not gRPC as well.
	DialectGRPC
	// DialectEnvoy is x-envoy-expected-rq-timeout-ms.
	DialectEnvoy
)

// dialectNames has the names of the dialects by their bit.
var dialectNames = [...]string{"plimsoll", "grpc", "envoy"}

// ParseDialect reads the name of one dialect: plimsoll, grpc or envoy, in
// lower case.
func ParseDialect(name string) (d Dialects, ok bool) {
	for i, n := range dialectNames {
		if n == name {
			return 1 << i, true
		}
	}
	return 0, false
}

// String lists the names of the dialects.
func (d Dialects) String() string {
	var names []string
	for i, n := range dialectNames {
		if d.orDefault()&(1<<i) != 0 {
			names = append(names, n)
		}
	}
	return strings.Join(names, ", ")
}

func (d Dialects) orDefault() Dialects {
	if d == 0 {
		return DialectPlimsoll
	}
	return d
}

func (d Dialects) valid() bool { return d < DialectEnvoy<<1 }
