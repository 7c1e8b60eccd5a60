package wire

import (
	"time"

	"github.com/plimsoll-go/plimsoll/class"
)

// Incoming is what the headers of one request say, once clamped.
type Incoming struct {
	// Tag has the criticality, Unset where nobody has said anything, the
	// attempt, and the level if a signature has one. Its tenant is for others
	// to fill in.
	Tag

	// Timeout is how long the caller still waits, counted from now. It means
	// nothing unless HasTimeout.
	Timeout time.Duration
	// HasTimeout says that the work has a deadline: the caller's, or the
	// default.
	HasTimeout bool
	// Expired says that the deadline has passed, or is below the floor: the
	// right answer is 504, at once. HasTimeout is then true and Timeout 0.
	Expired bool
	// Clamped says that the caller asked for more than it was given, of time
	// or of criticality.
	Clamped bool
	// Hint says that the criticality is no claim of the caller, but taken from
	// Sec-Purpose, Priority or the ceiling: rules by path or method go before
	// it.
	Hint bool
	// Signature says what a signature was worth.
	Signature Verdict
	// InvalidTimeout says that a timeout could not be read. It was treated as
	// absent.
	InvalidTimeout bool
	// InvalidCriticality says that a criticality could not be read. It was
	// treated as absent.
	InvalidCriticality bool
}

// Read reads the headers of a request. It changes nothing, keeps nothing of h
// and does not allocate. It looks at the clock only if there is a signature.
func (c *Config) Read(h map[string][]string) Incoming { return c.ReadLeft(h, class.Forever) }

// ReadLeft is [Config.Read] for a transport that takes the caller's timeout out
// of the headers by itself, as gRPC libraries do with grpc-timeout: left is
// what is left of it. It goes before all that h says of time, and has the same
// bounds. [class.Forever]: the caller has brought none that way.
func (c *Config) ReadLeft(h map[string][]string, left time.Duration) Incoming {
	var in Incoming
	grpc := isGRPC(h)
	vouched := c.readSignature(h, &in)
	c.readTimeout(h, grpc, left, vouched.Timeout, &in)
	c.readCriticality(h, grpc, vouched.Criticality, &in)
	in.Attempt = readAttempt(h, grpc)
	return in
}

// readTimeout finds the caller's timeout, unless that is known to be left, and
// applies the default, the bounds and the floor.
func (c *Config) readTimeout(h map[string][]string, grpc bool, left, vouched time.Duration, in *Incoming) {
	most, def := c.maxTimeout(), max(c.DefaultTimeout, 0)
	asked, ok := left, left != class.Forever
	if !ok {
		asked, ok = c.askedTimeout(h, grpc, &in.InvalidTimeout)
	}
	switch {
	case ok:
		if !c.Trusted && def > 0 {
			most = min(most, max(def, vouched))
		}
		in.Clamped = asked > most
	case def > 0:
		asked = def
	case in.InvalidTimeout:
		asked = most
	default:
		return
	}
	in.HasTimeout = true
	in.Timeout = min(asked, most)
	if in.Timeout <= 0 || in.Timeout < c.Floor {
		in.Timeout, in.Expired = 0, true
	}
}

// Asked returns how long the caller says that it still waits, whatever it is
// given: MaxTimeout at most, and a nanosecond at least where that is over. False,
// and 0: it says nothing that can be read. It does not allocate.
func (c *Config) Asked(h map[string][]string) (time.Duration, bool) {
	var invalid bool
	asked, ok := c.askedTimeout(h, isGRPC(h), &invalid)
	if !ok {
		return 0, false
	}
	return max(min(asked, c.maxTimeout()), 1), true
}

// askedTimeout returns the timeout of the first header, by precedence, that
// can be read.
func (c *Config) askedTimeout(h map[string][]string, grpc bool, invalid *bool) (time.Duration, bool) {
	if grpc {
		if v := h[grpcTimeoutHeader]; len(v) > 0 {
			if d, ok := shortest(v, DecodeGRPCTimeout, invalid); ok {
				return d, true
			}
		}
	} else if v := h[connectTimeoutHeader]; len(v) > 0 {
		if d, ok := shortest(v, decodeConnectTimeout, invalid); ok {
			return d, true
		}
	}
	if v := h[c.timeoutHeader()]; len(v) > 0 {
		if d, ok := shortest(v, decodeMillis, invalid); ok {
			return d, true
		}
	}
	if v := h[envoyTimeoutHeader]; len(v) > 0 {
		return shortest(v, decodeMillis, invalid)
	}
	return 0, false
}

// shortest decodes every value of a header and returns the shortest time that
// can be read.
func shortest(values []string, decode func(string) (time.Duration, bool), invalid *bool) (time.Duration, bool) {
	least, found := class.Forever, false
	for _, v := range values {
		d, ok := decode(trim(v))
		if !ok {
			*invalid = true
			continue
		}
		least, found = min(least, d), true
	}
	return least, found
}

// decodeMillis reads whole milliseconds; zero and less is 0, expired.
func decodeMillis(s string) (time.Duration, bool) {
	n, _, ok := parseInt(s)
	return class.Units(n, time.Millisecond), ok
}

// decodeConnectTimeout is decodeMillis with the 10 digits that the Connect
// protocol allows.
func decodeConnectTimeout(s string) (time.Duration, bool) {
	n, digits, ok := parseInt(s)
	return class.Units(n, time.Millisecond), ok && digits <= 10
}
