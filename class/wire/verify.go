package wire

import (
	"crypto/hmac"
	"strings"
	"time"

	"github.com/plimsoll-go/plimsoll/class"
)

// Verdict says what a signature is worth.
type Verdict uint8

// The verdicts. All but Verified count as if there were no signature.
const (
	Unsigned   Verdict = iota // there is none, or no key to verify one with
	Verified                  // its code is right and it has not expired
	Malformed                 // it is not of the form, or there are several
	UnknownKey                // it names no key of the keyring
	Outdated                  // it has expired, or was signed for longer than MaxSignatureLife
	Forged                    // its code is wrong: another key, or a text that was changed
	NumVerdicts
)

var verdictNames = [NumVerdicts]string{"unsigned", "verified", "malformed", "unknown_key", "outdated", "forged"}

// String returns the name that metrics carry, such as "unknown_key".
func (v Verdict) String() string {
	if v < NumVerdicts {
		return verdictNames[v]
	}
	return "invalid"
}

// Verify reads the value of a [SignatureHeader]. Claims are those of a verified
// one, else zero. The code is compared in constant time; which key is named and
// when it expires is no secret. It does not allocate.
//
// A signature is tied to no request: whoever has seen one can send it with
// another request, up to its expiry. That gains what it vouches for, no more.
func (k *Keyring) Verify(value string, now time.Time) (Claims, Verdict) {
	id, c, text, ok := parseSignature(value)
	if !ok {
		return Claims{}, Malformed
	}
	pool := k.keys[id]
	if pool == nil {
		return Claims{}, UnknownKey
	}
	if life := c.Expires.Sub(now); life <= 0 || life > MaxSignatureLife+clockSkew {
		return Claims{}, Outdated
	}
	s := pool.Get().(*signer)
	defer pool.Put(s)
	n := copy(s.text[:], value)
	s.compute(s.text[:text])
	if !hmac.Equal(s.encoded[:], s.text[n-codeLength:n]) {
		return Claims{}, Forged
	}
	return c, Verified
}

// readSignature returns what a signature vouches for, if it is worth anything.
func (c *Config) readSignature(h map[string][]string, in *Incoming) Claims {
	v := h[SignatureHeader]
	if len(v) == 0 || c.Keys == nil {
		return Claims{}
	}
	if len(v) > 1 {
		in.Signature = Malformed
		return Claims{}
	}
	claims, verdict := c.Keys.Verify(v[0], time.Now())
	in.Signature, in.Signed, in.Level = verdict, verdict == Verified, claims.Level
	return claims
}

// parseSignature reads
//
//	v1;k=ID;e=SECONDS;c=CRITICALITY[;l=LEVEL][;t=MILLISECONDS];s=CODE
//
// in this order and without spaces. Text is the length of what the code covers.
func parseSignature(value string) (id string, c Claims, text int, ok bool) {
	text = len(value) - codeLength - len(";s=")
	if len(value) > maxSignature || text < 0 || value[text:text+3] != ";s=" {
		return "", Claims{}, 0, false
	}
	rest, ok := strings.CutPrefix(value[:text], "v1")
	id, rest, found := field(rest, ";k=")
	ok = ok && found && validKeyID(id)
	expires, rest, found := numberField(rest, ";e=")
	ok = ok && found
	word, rest, found := field(rest, ";c=")
	criticality, named := class.Parse(word)
	ok = ok && found && named && word == criticality.String()
	level, rest, found := numberField(rest, ";l=")
	ok = ok && level <= int64(class.MaxLevel) && found == (level > 0)
	millis, rest, found := numberField(rest, ";t=")
	ok = ok && rest == "" && found == (millis > 0)
	return id, Claims{
		Criticality: criticality,
		Level:       class.Level(level),
		Timeout:     class.Units(millis, time.Millisecond),
		Expires:     time.Unix(expires, 0),
	}, text, ok
}

// field takes ";name=value" off the front of s, if it is there.
func field(s, name string) (value, rest string, found bool) {
	rest, found = strings.CutPrefix(s, name)
	if !found {
		return "", s, false
	}
	end := strings.IndexByte(rest, ';')
	if end < 0 {
		end = len(rest)
	}
	return rest[:end], rest[end:], true
}

// numberField is field for 1 to 15 digits without zeros in front; what is
// anything else stays where it is, and so makes the whole unreadable.
func numberField(s, name string) (n int64, rest string, found bool) {
	value, rest, found := field(s, name)
	if !found || len(value) > 15 || value == "" || value[0] < '1' || value[0] > '9' {
		return 0, s, false
	}
	n, _, ok := parseInt(value)
	if !ok {
		return 0, s, false
	}
	return n, rest, true
}
