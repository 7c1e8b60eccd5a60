package retry

import (
	"math"
	"strconv"
	"time"
)

// NoRetry is the pushback of a server that wants no retry.
const NoRetry = time.Duration(-1)

// Pushback reads the values of grpc-retry-pushback-ms: how long a server asks to
// stay away, or [NoRetry] where the one value is negative, cannot be read or is
// not the only one (gRFC A6, "Pushback"). No value, and zero, are 0.
func Pushback(values []string) time.Duration {
	if len(values) == 0 {
		return 0
	}
	ms, err := strconv.ParseInt(values[0], 10, 64)
	if err != nil || len(values) > 1 || ms < 0 || ms > math.MaxInt32 {
		return NoRetry
	}
	return time.Duration(ms) * time.Millisecond
}
