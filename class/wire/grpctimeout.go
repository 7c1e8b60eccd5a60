package wire

import (
	"strconv"
	"time"

	"github.com/plimsoll-go/plimsoll/class"
)

// maxGRPCTimeout is the largest number that a grpc-timeout has: 8 digits
// ("gRPC over HTTP2", TimeoutValue).
const maxGRPCTimeout = 99_999_999

// grpcUnits are the units of grpc-timeout, finest first.
var grpcUnits = [...]struct {
	name byte
	unit time.Duration
}{
	{'n', time.Nanosecond}, {'u', time.Microsecond}, {'m', time.Millisecond},
	{'S', time.Second}, {'M', time.Minute}, {'H', time.Hour},
}

// DecodeGRPCTimeout reads a grpc-timeout: 1 to 8 digits and one of the units
// H, M, S, m, u, n. What is well-formed and longer than a Duration can say is
// [class.Forever]; zero and negative numbers, such as "0n", are 0: expired. It
// does not allocate.
func DecodeGRPCTimeout(s string) (remaining time.Duration, ok bool) {
	if len(s) < 2 {
		return 0, false
	}
	n, digits, ok := parseInt(s[:len(s)-1])
	if !ok || digits > 8 {
		return 0, false
	}
	for _, u := range grpcUnits {
		if u.name == s[len(s)-1] {
			return class.Units(n, u.unit), true
		}
	}
	return 0, false
}

// EncodeGRPCTimeout writes a remaining time in the finest unit in which it has
// 8 digits, rounded down: a hop never passes on more than is left. What has
// expired is "0n".
func EncodeGRPCTimeout(remaining time.Duration) string {
	remaining = max(remaining, 0)
	i := 0
	for remaining/grpcUnits[i].unit > maxGRPCTimeout {
		i++ // ends: the longest Duration is 2,562,047 hours
	}
	var buf [9]byte
	n := strconv.AppendInt(buf[:0], int64(remaining/grpcUnits[i].unit), 10)
	return string(append(n, grpcUnits[i].name))
}
