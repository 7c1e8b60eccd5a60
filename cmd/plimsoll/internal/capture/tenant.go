package capture

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"hash"
	"sync"
)

// pseudonyms makes of the name of a tenant a number that is always the same and
// says nothing of the name to who has not got the key: the first 64 bits of
// HMAC-SHA-256 (RFC 2104). Among a million tenants, two get the same one with a
// probability of 3 in 10^8.
type pseudonyms struct{ idle sync.Pool }

// keyed is one computation.
type keyed struct {
	mac  hash.Hash
	name []byte
	sum  []byte
}

func newPseudonyms(key []byte) *pseudonyms {
	return &pseudonyms{idle: sync.Pool{New: func() any { return &keyed{mac: hmac.New(sha256.New, key)} }}}
}

// of is that of a name; 0, nobody, of the empty one only.
func (p *pseudonyms) of(name string) uint64 {
	if name == "" {
		return 0
	}
	k := p.idle.Get().(*keyed)
	k.mac.Reset()
	k.name = append(k.name[:0], name...)
	k.mac.Write(k.name) // never fails
	k.sum = k.mac.Sum(k.sum[:0])
	clear(k.name)
	out := binary.BigEndian.Uint64(k.sum)
	if cap(k.name) <= longName {
		p.idle.Put(k)
	}
	return max(out, 1)
}

// longName is the longest name whose memory is kept for the next.
const longName = 1 << 10

// texts are pseudonyms as they are written, remembered: most tenants come again.
type texts map[uint64]string

const manyTexts = 1 << 12

func (t texts) of(pseudonym uint64) string {
	if pseudonym == 0 {
		return ""
	}
	s, ok := t[pseudonym]
	if !ok {
		if len(t) >= manyTexts {
			clear(t)
		}
		s = fmt.Sprintf("%016x", pseudonym)
		t[pseudonym] = s
	}
	return s
}
