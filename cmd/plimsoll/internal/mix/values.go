package mix

import (
	"encoding/hex"
	"fmt"
	"math/rand/v2"
)

// Values are what a template may name, after a point.
type Values struct {
	rng *rand.Rand
	r   *Request
}

// Tenant is the request's, or empty.
func (v Values) Tenant() string { return v.r.Tenant }

// Class is the name of the request's class.
func (v Values) Class() string { return v.r.Class.Name }

// Criticality is the request's, such as CRITICAL; UNSET where it has none.
func (v Values) Criticality() string { return v.r.Criticality.String() }

// DeadlineMs is the request's deadline, in whole milliseconds.
func (v Values) DeadlineMs() int64 { return v.r.Deadline.Milliseconds() }

// Int is a whole number from least to most, all alike.
func (v Values) Int(least, most int) (int, error) {
	if least > most || uint(most)-uint(least) >= 1<<62 {
		return 0, fmt.Errorf("want Int LEAST MOST with the lesser first, have %d %d", least, most)
	}
	return least + v.rng.IntN(most-least+1), nil
}

// Pick is one of several texts, all alike.
func (v Values) Pick(one string, others ...string) string {
	if i := v.rng.IntN(len(others) + 1); i > 0 {
		return others[i-1]
	}
	return one
}

// mostHex bounds one value.
const mostHex = 4096

// Hex is so many random hexadecimal digits, from 1 to 4096.
func (v Values) Hex(digits int) (string, error) {
	if digits < 1 || digits > mostHex {
		return "", fmt.Errorf("want Hex with 1 to %d digits, have %d", mostHex, digits)
	}
	b := make([]byte, (digits+1)/2)
	for i := range b {
		b[i] = byte(v.rng.Uint32())
	}
	return hex.EncodeToString(b)[:digits], nil
}

// UUID is a random one (RFC 9562, version 4).
func (v Values) UUID() string {
	var b [16]byte
	for i := range b {
		b[i] = byte(v.rng.Uint32())
	}
	b[6], b[8] = b[6]&0x0f|0x40, b[8]&0x3f|0x80
	text := make([]byte, 0, 36)
	for i, part := range [][]byte{b[:4], b[4:6], b[6:8], b[8:10], b[10:]} {
		if i > 0 {
			text = append(text, '-')
		}
		text = hex.AppendEncode(text, part)
	}
	return string(text)
}
