package wire

import (
	"bytes"
	"math/big"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/plimsoll-go/plimsoll/class"
)

// integer is what a header may have as a whole number.
var integer = regexp.MustCompile(`^[ \t]*(-?[0-9]+)[ \t]*$`)

// obviousInteger reads a whole number that fits 64 bits and has 19 digits at
// most.
func obviousInteger(s string) (*big.Int, bool) {
	m := integer.FindStringSubmatch(s)
	if m == nil || len(strings.TrimPrefix(m[1], "-")) > 19 {
		return nil, false
	}
	n, ok := new(big.Int).SetString(m[1], 10)
	return n, ok && n.IsInt64()
}

// Timeouts in milliseconds are read as arithmetic without bounds would.
func FuzzMillis(f *testing.F) {
	for _, s := range []string{"0", "-0", "1500", " 7\t", "9223372036854775807", "9223372036855", "1e3", "+5", "१", "00000000000000000001"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		d, ok := decodeMillis(trim(s))
		n, want := obviousInteger(s)
		if ok != want {
			t.Fatalf("%q: readable %v, want %v", s, ok, want)
		}
		if !ok {
			return
		}
		ns := new(big.Int).Mul(n, big.NewInt(int64(time.Millisecond)))
		if forever := big.NewInt(int64(class.Forever)); ns.Cmp(forever) > 0 {
			ns = forever
		}
		if ns.Sign() < 0 {
			ns = new(big.Int)
		}
		if int64(d) != ns.Int64() {
			t.Fatalf("%q is %d ns, want %v", s, d, ns)
		}
		if _, connect := decodeConnectTimeout(trim(s)); connect != (len(strings.Trim(s, " \t-")) <= 10) {
			t.Fatalf("%q for Connect: %v", s, connect)
		}
	})
}

// An attempt is clamped, never wrapped, and never less than what is claimed.
func FuzzAttempt(f *testing.F) {
	f.Add("3", "")
	f.Add("99", "9223372036854775808")
	f.Add("-1", "0")
	f.Fuzz(func(t *testing.T, one, two string) {
		want := 0
		for _, s := range []string{one, two} {
			if n, ok := obviousInteger(s); ok && n.Sign() > 0 {
				want = max(want, int(min(n.Int64(), MaxAttempt)))
			}
		}
		if got := readAttempt(map[string][]string{AttemptHeader: {one, two}}, false); got != want {
			t.Fatalf("%q and %q are %d, want %d", one, two, got, want)
		}
	})
}

// urgencyMember is one of RFC 8941 that has the urgency.
var urgencyMember = regexp.MustCompile(`^u=([0-7])(;.*)?$`)

// The urgency is the least urgent of those that can be read.
func FuzzPriority(f *testing.F) {
	f.Add("u=3, i", "u=7")
	f.Add("i;u=1,u=0;x", "u=8,u=-1,u=3.5")
	f.Fuzz(func(t *testing.T, one, two string) {
		want := class.Unset
		for member := range strings.SplitSeq(one+","+two, ",") {
			m := urgencyMember.FindStringSubmatch(strings.ReplaceAll(strings.Trim(member, " \t"), "\n", " "))
			if m == nil {
				continue
			}
			if c := urgencies[m[1][0]-'0']; want == class.Unset || c < want {
				want = c
			}
		}
		if got := urgencyCriticality([]string{one, two}); got != want {
			t.Fatalf("%q and %q are %v, want %v", one, two, got, want)
		}
	})
}

// A prefetch is the token, alone or with parameters.
func FuzzSecPurpose(f *testing.F) {
	f.Add("prefetch;prerender")
	f.Add(" Prefetch ")
	f.Add("prefetcher")
	prefetch := regexp.MustCompile(`(?is)^[ \t]*prefetch[ \t]*(;.*)?$`)
	f.Fuzz(func(t *testing.T, s string) {
		if got, want := isPrefetch(s), prefetch.MatchString(s); got != want {
			t.Fatalf("%q: %v, want %v", s, got, want)
		}
	})
}

// Whatever a key file has, it is a key of enough bytes or a fault.
func FuzzDecodeKey(f *testing.F) {
	f.Add([]byte("c2VjcmV0c2VjcmV0c2VjcmV0c2VjcmV0c2VjcmV0MDA=\n"))
	f.Add([]byte("short"))
	f.Add(bytes.Repeat([]byte{0}, MinKeyBytes))
	f.Fuzz(func(t *testing.T, file []byte) {
		secret, err := DecodeKey(file)
		if err != nil {
			return
		}
		if _, err := NewKeyring(map[string][]byte{"a": secret}); err != nil {
			t.Fatalf("%q is read as a key that is none: %v", file, err)
		}
	})
}
