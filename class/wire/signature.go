package wire

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"hash"
	"maps"
	"slices"
	"strconv"
	"sync"
	"time"

	"github.com/plimsoll-go/plimsoll/class"
)

// The bounds of a signature's life. A token that is signed for longer than
// MaxSignatureLife is not believed at all, so that one that has leaked is of
// use for minutes. The signer's clock may be 30 s ahead.
const (
	MaxSignatureLife = 5 * time.Minute
	clockSkew        = 30 * time.Second
)

// Claims are what a signature vouches for.
type Claims struct {
	// Criticality is the highest that the request may have, and the one it has
	// where no header asks for less. Never Unset.
	Criticality class.Criticality
	// Level is the level inside it. Zero: the signer does not say.
	Level class.Level
	// Timeout is the longest time that the request's own headers are believed
	// up to, in whole milliseconds. It is a bound and no deadline: what is left
	// of one travels in the headers that every hop lowers. Zero: the signer
	// does not say.
	Timeout time.Duration
	// Expires is when the signature ends, in whole seconds.
	Expires time.Time
}

// Keyring has the keys that signatures are made and verified with, by their
// ids. Keys are changed by having the old and the new one in it for as long as
// the old one's signatures live. It does not change and may be used
// concurrently.
type Keyring struct {
	keys map[string]*sync.Pool // of *signer
}

// signer computes the code of one key over one text at a time.
type signer struct {
	mac     hash.Hash
	text    [maxSignature]byte
	sum     [sha256.Size]byte
	encoded [codeLength]byte
}

// The lengths, in bytes, of a whole header and of its code.
const (
	maxSignature = 192
	codeLength   = 43 // of 32 bytes in base64 without padding
)

// MinKeyBytes is the least length of a key: that of the hash, below which RFC
// 2104 section 3 finds a key weak.
const MinKeyBytes = sha256.Size

// NewKeyring makes a keyring of secrets by their ids. An id has 1 to 64
// letters, digits, points, hyphens or underscores; a secret has MinKeyBytes or
// more. It reports every fault at once, and never shows a secret.
func NewKeyring(secrets map[string][]byte) (*Keyring, error) {
	var faults []error
	k := &Keyring{keys: make(map[string]*sync.Pool, len(secrets))}
	for _, id := range slices.Sorted(maps.Keys(secrets)) {
		secret := slices.Clone(secrets[id])
		if !validKeyID(id) {
			faults = append(faults, fmt.Errorf("wire: key %.40q: want an id of 1 to 64 letters, digits, '.', '-' or '_'", id))
		}
		if len(secret) < MinKeyBytes {
			faults = append(faults, fmt.Errorf("wire: key %.40q: want %d bytes or more, have %d", id, MinKeyBytes, len(secret)))
		}
		k.keys[id] = &sync.Pool{New: func() any { return &signer{mac: hmac.New(sha256.New, secret)} }}
	}
	if len(faults) > 0 {
		return nil, errors.Join(faults...)
	}
	return k, nil
}

// IDs lists the ids of the keys in order.
func (k *Keyring) IDs() []string { return slices.Sorted(maps.Keys(k.keys)) }

// Sign returns the value of [SignatureHeader] that vouches for c with the key
// of an id. Now is what MaxSignatureLife is counted from. It fails if there is
// no such key or c is out of bounds, and says what is wanted.
func (k *Keyring) Sign(id string, c Claims, now time.Time) (string, error) {
	pool := k.keys[id]
	life := c.Expires.Sub(now)
	switch {
	case pool == nil:
		return "", fmt.Errorf("wire: sign: want the id of a key, one of %q, have %.40q", k.IDs(), id)
	case c.Criticality == class.Unset || !c.Criticality.Valid():
		return "", errors.New("wire: sign: want one of the four criticalities")
	case c.Level > class.MaxLevel:
		return "", fmt.Errorf("wire: sign: want a level from 0 to %d, have %d", class.MaxLevel, c.Level)
	case c.Timeout < 0 || c.Timeout%time.Millisecond != 0:
		return "", fmt.Errorf("wire: sign: want a timeout of whole milliseconds, 0 or more, have %v", c.Timeout)
	case life <= 0 || life > MaxSignatureLife:
		return "", fmt.Errorf("wire: sign: want an expiry at most %v ahead, have %v", MaxSignatureLife, life)
	}
	s := pool.Get().(*signer)
	defer pool.Put(s)
	text := appendClaims(s.text[:0], id, c)
	s.compute(text)
	return string(text) + ";s=" + string(s.encoded[:]), nil
}

// compute leaves the code of text, in base64, in s.encoded.
func (s *signer) compute(text []byte) {
	s.mac.Reset()
	s.mac.Write(text)
	s.mac.Sum(s.sum[:0])
	base64.RawURLEncoding.Encode(s.encoded[:], s.sum[:])
}

// appendClaims writes what the code covers: all of the header before ";s=".
func appendClaims(b []byte, id string, c Claims) []byte {
	b = append(b, "v1;k="...)
	b = append(b, id...)
	b = append(b, ";e="...)
	b = strconv.AppendInt(b, c.Expires.Unix(), 10)
	b = append(b, ";c="...)
	b = append(b, c.Criticality.String()...)
	if c.Level > 0 {
		b = append(b, ";l="...)
		b = strconv.AppendInt(b, int64(c.Level), 10)
	}
	if c.Timeout > 0 {
		b = append(b, ";t="...)
		b = strconv.AppendInt(b, c.Timeout.Milliseconds(), 10)
	}
	return b
}

func validKeyID(id string) bool {
	if id == "" || len(id) > 64 {
		return false
	}
	for i := range len(id) {
		switch b := id[i]; {
		case 'a' <= b && b <= 'z', 'A' <= b && b <= 'Z', '0' <= b && b <= '9', b == '.', b == '-', b == '_':
		default:
			return false
		}
	}
	return true
}
