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
	grpc := isGRPC(h)
	c.writeTimeout(h, remaining, grpc)
	writeCriticality(h, t.Criticality, grpc)
	writeAttempt(h, t.Attempt, grpc)
	if c.Keys != nil && !t.Signed {
		delete(h, SignatureHeader)
	}
}

// writeTimeout sends the headers of the next hop's dialects, grpc-timeout to
// gRPC always, and brings up to date what is there already: a receiver may look
// at it first.
func (c *Config) writeTimeout(h map[string][]string, remaining time.Duration, grpc bool) {
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
	values, dialects := []string{ms}, c.Dialects.orDefault()
	put := func(key string, always bool) {
		if _, there := h[key]; always || there {
			h[key] = values
		}
	}
	put(c.timeoutHeader(), dialects&DialectPlimsoll != 0)
	put(envoyTimeoutHeader, dialects&DialectEnvoy != 0)
	if _, there := h[grpcTimeoutHeader]; grpc || there || dialects&DialectGRPC != 0 {
		h[grpcTimeoutHeader] = []string{EncodeGRPCTimeout(remaining)}
	}
	replace(h, connectTimeoutHeader, min10(ms))
}

// min10 keeps a number of milliseconds within the 10 digits of Connect.
func min10(ms string) string {
	if len(ms) > 10 {
		return "9999999999"
	}
	return ms
}

func writeCriticality(h map[string][]string, c class.Criticality, grpc bool) {
	if !c.Valid() {
		c = class.Unset
	}
	if merged := mergeBaggage(h[BaggageHeader], c); merged != nil {
		h[BaggageHeader] = merged
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
	h[CriticalityHeader] = []string{c.String()}
	if grpc {
		replace(h, grpcCriticalityHeader, c.String())
	}
}

func writeAttempt(h map[string][]string, attempt int, grpc bool) {
	attempt = min(attempt, MaxAttempt)
	if attempt < 1 {
		delete(h, AttemptHeader)
	} else {
		h[AttemptHeader] = []string{strconv.Itoa(attempt)}
	}
	if !grpc {
		return
	}
	if attempt > 1 {
		h[grpcAttemptsHeader] = []string{strconv.Itoa(attempt - 1)}
	} else {
		delete(h, grpcAttemptsHeader)
	}
}

// replace sets a header that is there.
func replace(h map[string][]string, key, value string) {
	if _, ok := h[key]; ok {
		h[key] = []string{value}
	}
}
