package wire

import (
	"strconv"
	"time"

	"github.com/plimsoll-go/plimsoll/class"
)

// Write is [Config.Write] with the standard name of the timeout header.
func Write(h map[string][]string, t Tag, remaining time.Duration) {
	(&Config{}).Write(h, t, remaining)
}

// Write puts into the headers of a request to the next hop what is left of the
// deadline and what is in t. Remaining is the caller's time less the margin of
// this hop, as [class.Left] computes it: 0 or less has expired and is sent as
// such, [class.Forever] is no deadline.
//
// Every claim that [Config.Read] would believe is overwritten, or removed where
// there is nothing to say: a forged or unreadable value ends here, and so does a
// signature that this hop has keys for and has not verified. What was only a
// hint stays, since its header has a purpose of its own. Slices of values that
// are in h are not changed, so h may be a shallow copy; h must not be nil.
func (c *Config) Write(h map[string][]string, t Tag, remaining time.Duration) {
	grpc, to := isGRPC(h), make(values, 0, maxWritten)
	c.writeTimeout(h, &to, remaining, grpc)
	writeCriticality(h, &to, t.Criticality, grpc)
	writeAttempt(h, &to, t.Attempt, grpc)
	if c.Keys != nil && !t.Signed {
		delete(h, SignatureHeader)
	}
}

// values are those of single headers, in one piece of memory.
type values []string

// maxWritten is how many headers are written at most: four of the time, three
// of the criticality, two of the attempt.
const maxWritten = 9

// of returns the value of one header.
func (v *values) of(s string) []string {
	*v = append(*v, s)
	n := len(*v)
	return (*v)[n-1 : n : n]
}

// writeTimeout sends the headers of the next hop's dialects, grpc-timeout to
// gRPC always, and brings up to date what is there already: a receiver may look
// at it first.
func (c *Config) writeTimeout(h map[string][]string, to *values, remaining time.Duration, grpc bool) {
	if remaining == class.Forever {
		delete(h, grpcTimeoutHeader)
		delete(h, connectTimeoutHeader)
		delete(h, c.timeoutHeader())
		delete(h, envoyTimeoutHeader)
		return
	}
	// Rounded down, as in grpc-timeout: what is left of a millisecond is not
	// worth the way.
	ms := strconv.FormatInt(max(remaining, 0).Milliseconds(), 10)
	dialects := c.Dialects.orDefault()
	if key := c.timeoutHeader(); dialects&DialectPlimsoll != 0 || has(h, key) {
		h[key] = to.of(ms)
	}
	if dialects&DialectEnvoy != 0 || has(h, envoyTimeoutHeader) {
		h[envoyTimeoutHeader] = to.of(ms)
	}
	if grpc || dialects&DialectGRPC != 0 || has(h, grpcTimeoutHeader) {
		h[grpcTimeoutHeader] = to.of(EncodeGRPCTimeout(remaining))
	}
	if has(h, connectTimeoutHeader) {
		h[connectTimeoutHeader] = to.of(min10(ms))
	}
}

// min10 keeps a number of milliseconds within the 10 digits of Connect.
func min10(ms string) string {
	if len(ms) > 10 {
		return "9999999999"
	}
	return ms
}

func writeCriticality(h map[string][]string, to *values, c class.Criticality, grpc bool) {
	if !c.Valid() {
		c = class.Unset
	}
	if merged := mergeBaggage(h[BaggageHeader], c); merged != "" {
		h[BaggageHeader] = to.of(merged)
	} else {
		delete(h, BaggageHeader)
	}
	if c == class.Unset {
		delete(h, CriticalityHeader)
		if grpc {
			delete(h, grpcCriticalityHeader)
		}
		return
	}
	h[CriticalityHeader] = to.of(c.String())
	if grpc && has(h, grpcCriticalityHeader) {
		h[grpcCriticalityHeader] = to.of(c.String())
	}
}

func writeAttempt(h map[string][]string, to *values, attempt int, grpc bool) {
	attempt = min(attempt, MaxAttempt)
	if attempt < 1 {
		delete(h, AttemptHeader)
	} else {
		h[AttemptHeader] = to.of(strconv.Itoa(attempt))
	}
	if !grpc {
		return
	}
	if attempt > 1 {
		h[grpcAttemptsHeader] = to.of(strconv.Itoa(attempt - 1))
	} else {
		delete(h, grpcAttemptsHeader)
	}
}

// has reports whether a header is there.
func has(h map[string][]string, key string) bool {
	_, ok := h[key]
	return ok
}
