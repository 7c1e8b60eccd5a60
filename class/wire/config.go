package wire

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/plimsoll-go/plimsoll/class"
)

// DefaultMaxTimeout is the longest time that a caller is believed to wait,
// where [Config] does not say.
const DefaultMaxTimeout = 30 * time.Second

// MaxAttempt is the highest attempt that is read or written; a higher one
// counts as it.
const MaxAttempt = 16

// Config says which headers are believed and how far. The zero value is for
// callers that are not trusted, bounds every deadline at 30 seconds, and has
// no default. It may be used concurrently while nobody changes it.
type Config struct {
	// TimeoutHeader is the header that has the remaining time in milliseconds,
	// spelt as net/http does. Empty: [TimeoutHeader].
	TimeoutHeader string

	// MaxTimeout bounds every timeout. Zero: [DefaultMaxTimeout].
	MaxTimeout time.Duration

	// DefaultTimeout is for requests that bring none, and bounds what a caller
	// that is not trusted brings. Zero: none; a request then has a timeout only
	// if it brings one, and one whose timeout cannot be read has MaxTimeout:
	// it did ask for one.
	DefaultTimeout time.Duration

	// Floor is the least time that is worth starting with, such as the median
	// service time: less counts as expired. Zero: no floor.
	Floor time.Duration

	// Trusted callers are believed up to MaxTimeout and TrustedCeiling. Others
	// can only lower themselves: to less than DefaultTimeout, and to Ceiling or
	// below.
	Trusted bool

	// Ceiling is the highest criticality that a caller who is not trusted can
	// claim: what the route gives those who claim nothing. Unset: CRITICAL.
	// Below CRITICAL it also applies to those who claim nothing, so that
	// silence gains nothing.
	Ceiling class.Criticality

	// TrustedCeiling is that of trusted callers, and of signatures. Unset:
	// CRITICAL_PLUS.
	TrustedCeiling class.Criticality

	// Sources are the places that a criticality is read from. What is claimed
	// anywhere else is as if it were absent. Zero: [DefaultSources].
	Sources Sources

	// Keys verify signatures: what one vouches for is believed of any caller.
	// Nil: signatures are neither believed nor removed, since a hop further in
	// may have the keys.
	Keys *Keyring

	// Dialects are the headers that [Config.Write] tells the remaining time
	// in. Zero: [DialectPlimsoll].
	Dialects Dialects
}

// Validate reports every fault at once and changes nothing. [Config.Read]
// treats what is faulty as zero.
func (c Config) Validate() error {
	var faults []error
	want := func(ok bool, key, wanted string, got any) {
		if !ok {
			faults = append(faults, fmt.Errorf("wire: Config.%s: want %s, have %v", key, wanted, got))
		}
	}
	canonical := canonicalKey(c.TimeoutHeader)
	want(canonical == c.TimeoutHeader, "TimeoutHeader", fmt.Sprintf("a header's name as net/http spells it (%q)", canonical), c.TimeoutHeader)
	want(c.MaxTimeout >= 0, "MaxTimeout", "0 or more", c.MaxTimeout)
	want(c.DefaultTimeout >= 0, "DefaultTimeout", "0 or more", c.DefaultTimeout)
	want(c.DefaultTimeout <= c.maxTimeout(), "DefaultTimeout", "no more than MaxTimeout, "+c.maxTimeout().String(), c.DefaultTimeout)
	want(c.Floor >= 0, "Floor", "0 or more", c.Floor)
	want(c.Floor <= c.maxTimeout(), "Floor", "no more than MaxTimeout, "+c.maxTimeout().String(), c.Floor)
	want(c.DefaultTimeout <= 0 || c.DefaultTimeout >= c.Floor, "DefaultTimeout", "0, or no less than Floor, "+c.Floor.String(), c.DefaultTimeout)
	want(c.Ceiling.Valid(), "Ceiling", "one of the four criticalities", uint8(c.Ceiling))
	want(c.TrustedCeiling.Valid(), "TrustedCeiling", "one of the four criticalities", uint8(c.TrustedCeiling))
	want(c.Sources.valid(), "Sources", "a set of sources, or NoSources alone", uint8(c.Sources))
	want(c.Dialects.valid(), "Dialects", "a set of dialects", uint8(c.Dialects))
	return errors.Join(faults...)
}

func (c *Config) timeoutHeader() string {
	if c.TimeoutHeader != "" {
		return c.TimeoutHeader
	}
	return TimeoutHeader
}

func (c *Config) maxTimeout() time.Duration {
	if c.MaxTimeout > 0 {
		return c.MaxTimeout
	}
	return DefaultMaxTimeout
}

// ceiling is the highest criticality that the caller can claim.
func (c *Config) ceiling(vouched class.Criticality) class.Criticality {
	trusted := c.TrustedCeiling
	if trusted == class.Unset {
		trusted = class.CriticalPlus
	}
	if c.Trusted {
		return trusted.OrDefault()
	}
	return max(c.Ceiling.OrDefault(), min(vouched, trusted.OrDefault()))
}

// canonicalKey returns a header's name with every letter after a hyphen, and
// the first, in upper case and all others in lower; "" where a byte is not one
// of a token (RFC 9110 5.6.2).
func canonicalKey(s string) string {
	b := []byte(s)
	upper := true
	for i, c := range b {
		switch {
		case 'a' <= c && c <= 'z':
			if upper {
				b[i] -= 'a' - 'A'
			}
		case 'A' <= c && c <= 'Z':
			if !upper {
				b[i] += 'a' - 'A'
			}
		case '0' <= c && c <= '9':
		case strings.IndexByte("!#$%&'*+-.^_`|~", c) >= 0:
		default:
			return ""
		}
		upper = c == '-'
	}
	return string(b)
}
