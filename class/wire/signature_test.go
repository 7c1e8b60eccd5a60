package wire

import (
	"bytes"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/plimsoll-go/plimsoll/class"
)

var (
	edgeKey  = bytes.Repeat([]byte{7}, MinKeyBytes)
	newKey   = bytes.Repeat([]byte{8}, 2*MinKeyBytes)
	signedAt = time.Unix(1_730_000_000, 0)
)

func keyring(t testing.TB, secrets map[string][]byte) *Keyring {
	t.Helper()
	k, err := NewKeyring(secrets)
	if err != nil {
		t.Fatal(err)
	}
	return k
}

func sign(t testing.TB, k *Keyring, id string, c Claims, now time.Time) string {
	t.Helper()
	s, err := k.Sign(id, c, now)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// codeOf is the code as whoever reads the documentation would compute it.
func codeOf(secret []byte, text string) string {
	mac := hmac.New(sha256.New, secret)
	mac.Write([]byte(text))
	return base64.RawURLEncoding.EncodeToString(mac.Sum(nil))
}

func TestSign(t *testing.T) {
	k := keyring(t, map[string][]byte{"edge-1": edgeKey})
	tests := []struct {
		claims Claims
		text   string
	}{
		{Claims{Criticality: class.CriticalPlus, Expires: signedAt.Add(time.Minute)}, "v1;k=edge-1;e=1730000060;c=CRITICAL_PLUS"},
		{Claims{Criticality: class.Sheddable, Level: 127, Expires: signedAt.Add(time.Minute)}, "v1;k=edge-1;e=1730000060;c=SHEDDABLE;l=127"},
		{Claims{Criticality: class.Critical, Timeout: 2500 * time.Millisecond, Expires: signedAt.Add(time.Minute)}, "v1;k=edge-1;e=1730000060;c=CRITICAL;t=2500"},
		{Claims{Criticality: class.SheddablePlus, Level: 1, Timeout: time.Hour, Expires: signedAt.Add(time.Minute)}, "v1;k=edge-1;e=1730000060;c=SHEDDABLE_PLUS;l=1;t=3600000"},
	}
	for _, tt := range tests {
		want := tt.text + ";s=" + codeOf(edgeKey, tt.text)
		got := sign(t, k, "edge-1", tt.claims, signedAt)
		if got != want {
			t.Errorf("have %s\nwant %s", got, want)
		}
		if c, v := k.Verify(got, signedAt); v != Verified || !sameClaims(c, tt.claims) {
			t.Errorf("%s: %v, %+v", got, v, c)
		}
	}
}

func sameClaims(a, b Claims) bool {
	same := a.Expires.Equal(b.Expires)
	a.Expires, b.Expires = time.Time{}, time.Time{}
	return same && a == b
}

func TestSignRefuses(t *testing.T) {
	k := keyring(t, map[string][]byte{"edge-1": edgeKey})
	good := Claims{Criticality: class.Critical, Expires: signedAt.Add(time.Minute)}
	for want, change := range map[string]func(*Claims) string{
		`one of ["edge-1"], have "edge-2"`: func(*Claims) string { return "edge-2" },
		"one of the four criticalities":    func(c *Claims) string { c.Criticality = class.Unset; return "edge-1" },
		"a level from 0 to 127":            func(c *Claims) string { c.Level = 128; return "edge-1" },
		"a timeout of whole milliseconds":  func(c *Claims) string { c.Timeout = time.Microsecond; return "edge-1" },
		"0 or more, have -1s":              func(c *Claims) string { c.Timeout = -time.Second; return "edge-1" },
		"at most 5m0s ahead, have 5m1s":    func(c *Claims) string { c.Expires = signedAt.Add(301 * time.Second); return "edge-1" },
		"at most 5m0s ahead, have 0s":      func(c *Claims) string { c.Expires = signedAt; return "edge-1" },
	} {
		c := good
		id := change(&c)
		if _, err := k.Sign(id, c, signedAt); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("want %q, have %v", want, err)
		}
	}
}

func TestVerify(t *testing.T) {
	old := keyring(t, map[string][]byte{"edge-1": edgeKey})
	both := keyring(t, map[string][]byte{"edge-1": edgeKey, "edge-2": newKey})
	swapped := keyring(t, map[string][]byte{"edge-1": newKey})
	claims := Claims{Criticality: class.CriticalPlus, Level: 9, Timeout: time.Second, Expires: signedAt.Add(time.Minute)}
	good := sign(t, old, "edge-1", claims, signedAt)
	text, code, _ := strings.Cut(good, ";s=")
	resigned := func(text string) string { return text + ";s=" + codeOf(edgeKey, text) }
	tests := []struct {
		name  string
		ring  *Keyring
		value string
		after time.Duration // since it was signed
		want  Verdict
	}{
		{"as signed", old, good, 0, Verified},
		{"in its last second", old, good, 59 * time.Second, Verified},
		{"expired", old, good, time.Minute, Outdated},
		{"from a clock a bit ahead", old, good, -4 * time.Minute, Verified},
		{"signed for too long", old, good, -5 * time.Minute, Outdated},
		{"while keys change", both, good, 0, Verified},
		{"with the new key", both, sign(t, both, "edge-2", claims, signedAt), 0, Verified},
		{"with a key that is gone", old, sign(t, both, "edge-2", claims, signedAt), 0, UnknownKey},
		{"with another key of the name", swapped, good, 0, Forged},
		{"raised", old, strings.Replace(good, "l=9", "l=99", 1), 0, Forged},
		{"prolonged", old, strings.Replace(good, "e=1730000060", "e=1730000061", 1), 0, Forged},
		{"another's key id", both, strings.Replace(good, "edge-1", "edge-2", 1), 0, Forged},
		{"one bit of the code", old, text + ";s=" + string(code[0]^1) + code[1:], 0, Forged},
		{"the unused bits of its last byte", old, good[:len(good)-1] + string(code[42]+1), 0, Forged},
		{"no code", old, text, 0, Malformed},
		{"half a code", old, good[:len(good)-1], 0, Malformed},
		{"padded", old, good + "=", 0, Malformed},
		{"a space", old, good + " ", 0, Malformed},
		{"empty", old, "", 0, Malformed},
		{"another version", old, resigned(strings.Replace(text, "v1", "v2", 1)), 0, Malformed},
		{"another order", old, resigned("v1;e=1730000060;k=edge-1;c=CRITICAL"), 0, Malformed},
		{"no criticality", old, resigned("v1;k=edge-1;e=1730000060"), 0, Malformed},
		{"an unknown one", old, resigned("v1;k=edge-1;e=1730000060;c=VIP"), 0, Malformed},
		{"a folded one", old, resigned("v1;k=edge-1;e=1730000060;c=critical"), 0, Malformed},
		{"a level too high", old, resigned("v1;k=edge-1;e=1730000060;c=CRITICAL;l=128"), 0, Malformed},
		{"a level of none", old, resigned("v1;k=edge-1;e=1730000060;c=CRITICAL;l=0"), 0, Malformed},
		{"a zero in front", old, resigned("v1;k=edge-1;e=1730000060;c=CRITICAL;t=010"), 0, Malformed},
		{"a negative time", old, resigned("v1;k=edge-1;e=1730000060;c=CRITICAL;t=-1"), 0, Malformed},
		{"an expiry that overflows", old, resigned("v1;k=edge-1;e=9223372036854775807;c=CRITICAL"), 0, Malformed},
		{"a field of the future", old, resigned(text + ";x=1"), 0, Malformed},
		{"too long", old, resigned(text + strings.Repeat("0", 200)), 0, Malformed},
		{"64 KiB", old, strings.Repeat("v1;k=edge-1;", 5461), 0, Malformed},
	}
	for _, tt := range tests {
		c, v := tt.ring.Verify(tt.value, signedAt.Add(tt.after))
		if v != tt.want {
			t.Errorf("%s: %v, want %v", tt.name, v, tt.want)
		}
		if (v == Verified) != (c != Claims{}) {
			t.Errorf("%s: %v with %+v", tt.name, v, c)
		}
	}
}

func TestKeyring(t *testing.T) {
	for id, want := range map[string]string{
		"":                      "want an id",
		strings.Repeat("a", 65): "want an id",
		"a;b":                   "want an id",
		"short":                 "want 32 bytes or more, have 31",
	} {
		secret := edgeKey
		if id == "short" {
			secret = edgeKey[1:]
		}
		if _, err := NewKeyring(map[string][]byte{id: secret}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%.40q: %v", id, err)
		}
	}
	_, err := NewKeyring(map[string][]byte{"a b": nil, "c": nil})
	if err == nil || strings.Count(err.Error(), "\n") != 2 {
		t.Errorf("not every fault at once: %v", err)
	}
	if k := keyring(t, nil); len(k.IDs()) != 0 {
		t.Errorf("keys of nothing: %q", k.IDs())
	}
	longest := strings.Repeat("a", 64)
	k := keyring(t, map[string][]byte{longest: edgeKey})
	s := sign(t, k, longest, Claims{Criticality: class.SheddablePlus, Level: 127, Timeout: 999_999_999 * time.Second, Expires: signedAt.Add(time.Second)}, signedAt)
	if _, v := k.Verify(s, signedAt); v != Verified {
		t.Errorf("the longest of all, %d bytes: %v", len(s), v)
	}
}

func TestDecodeKey(t *testing.T) {
	secret := bytes.Repeat([]byte{0xfb, 0xff, 0xfe}, 11) // 33 bytes; - and _ in one alphabet, + and / in the other
	for name, file := range map[string][]byte{
		"standard":  []byte(base64.StdEncoding.EncodeToString(secret) + "\n"),
		"url":       []byte(" " + base64.RawURLEncoding.EncodeToString(secret) + "\r\n"),
		"raw bytes": secret,
	} {
		if got, err := DecodeKey(file); err != nil || !bytes.Equal(got, secret) {
			t.Errorf("%s: %x, %v", name, got, err)
		}
	}
	for _, file := range []string{"", "\n", "secret", "secret!", base64.StdEncoding.EncodeToString(secret[:31])} {
		if got, err := DecodeKey([]byte(file)); err == nil || strings.Contains(err.Error(), "secret") {
			t.Errorf("%q: %x, %v", file, got, err)
		}
	}
	raw := append(bytes.Repeat([]byte{'\n'}, 8), bytes.Repeat([]byte{0xff}, MinKeyBytes)...)
	if got, err := DecodeKey(raw); err != nil || !bytes.Equal(got, raw) {
		t.Errorf("raw bytes with white space in front: %x, %v", got, err)
	}
}

// What a signature vouches for is believed of whoever sends it, and no more.
func TestReadSignature(t *testing.T) {
	k := keyring(t, map[string][]byte{"edge-1": edgeKey})
	now := time.Now()
	token := func(c class.Criticality, l class.Level, timeout time.Duration) string {
		return sign(t, k, "edge-1", Claims{Criticality: c, Level: l, Timeout: timeout, Expires: now.Add(4 * time.Minute)}, now)
	}
	plus := token(class.CriticalPlus, 5, 20*time.Second)
	forged := plus[:len(plus)-2] + "AA"
	tests := []struct {
		name    string
		c       Config
		headers []string
		want    Incoming
	}{
		{"alone it is the claim", Config{}, []string{SignatureHeader, plus},
			Incoming{Tag: Tag{Criticality: class.CriticalPlus, Level: 5, Signed: true}, Signature: Verified}},
		{"a header may lower it", Config{}, []string{SignatureHeader, plus, CriticalityHeader, "sheddable"},
			Incoming{Tag: Tag{Criticality: class.Sheddable, Level: 5, Signed: true}, Signature: Verified}},
		{"and not raise it", Config{}, []string{SignatureHeader, token(class.Sheddable, 0, 0), CriticalityHeader, "critical"},
			Incoming{Tag: Tag{Criticality: class.Sheddable, Signed: true}, Signature: Verified, Clamped: true}},
		{"nor can one that is trusted", Config{Trusted: true}, []string{SignatureHeader, token(class.Sheddable, 0, 0), CriticalityHeader, "critical"},
			Incoming{Tag: Tag{Criticality: class.Sheddable, Signed: true}, Signature: Verified, Clamped: true}},
		{"up to the ceiling of the trusted", Config{TrustedCeiling: class.Critical, Ceiling: class.Sheddable}, []string{SignatureHeader, plus},
			Incoming{Tag: Tag{Criticality: class.Critical, Level: 5, Signed: true}, Signature: Verified, Clamped: true}},
		{"a claim goes before a hint", Config{}, []string{SignatureHeader, plus, "Sec-Purpose", "prefetch"},
			Incoming{Tag: Tag{Criticality: class.CriticalPlus, Level: 5, Signed: true}, Signature: Verified}},
		{"it is no source like others", Config{Sources: NoSources}, []string{SignatureHeader, plus, CriticalityHeader, "sheddable"},
			Incoming{Tag: Tag{Criticality: class.CriticalPlus, Level: 5, Signed: true}, Signature: Verified}},
		{"its time raises the bound", Config{DefaultTimeout: time.Second}, []string{SignatureHeader, plus, standard, "15000"},
			Incoming{Tag: Tag{Criticality: class.CriticalPlus, Level: 5, Signed: true}, Signature: Verified, HasTimeout: true, Timeout: 15 * time.Second}},
		{"to no more than it says", Config{DefaultTimeout: time.Second}, []string{SignatureHeader, plus, standard, "25000"},
			Incoming{Tag: Tag{Criticality: class.CriticalPlus, Level: 5, Signed: true}, Signature: Verified, HasTimeout: true, Timeout: 20 * time.Second, Clamped: true}},
		{"and is no deadline itself", Config{DefaultTimeout: time.Second}, []string{SignatureHeader, plus},
			Incoming{Tag: Tag{Criticality: class.CriticalPlus, Level: 5, Signed: true}, Signature: Verified, HasTimeout: true, Timeout: time.Second}},
		{"a forged one is as none", Config{}, []string{SignatureHeader, forged, CriticalityHeader, "critical_plus"},
			Incoming{Tag: Tag{Criticality: class.Critical}, Signature: Forged, Clamped: true}},
		{"and lowers still", Config{}, []string{SignatureHeader, forged, CriticalityHeader, "sheddable"},
			Incoming{Tag: Tag{Criticality: class.Sheddable}, Signature: Forged}},
		{"two are none", Config{}, []string{SignatureHeader, plus, SignatureHeader, plus}, Incoming{Signature: Malformed}},
	}
	for _, tt := range tests {
		tt.c.Keys = k
		if got := tt.c.Read(with(bare(), tt.headers...)); got != tt.want {
			t.Errorf("%s: %+v\nwant %+v", tt.name, got, tt.want)
		}
	}
	if got := (&Config{}).Read(with(bare(), SignatureHeader, plus)); got != (Incoming{}) {
		t.Errorf("without keys: %+v", got)
	}
}

// A signature goes on where it is true, and where nobody can tell.
func TestWriteSignature(t *testing.T) {
	k := keyring(t, map[string][]byte{"edge-1": edgeKey})
	for _, tt := range []struct {
		c    Config
		tag  Tag
		kept bool
	}{
		{Config{Keys: k}, Tag{Signed: true}, true},
		{Config{Keys: k}, Tag{}, false},
		{Config{}, Tag{}, true},
	} {
		h := map[string][]string{SignatureHeader: {"x"}}
		tt.c.Write(h, tt.tag, class.Forever)
		if _, kept := h[SignatureHeader]; kept != tt.kept {
			t.Errorf("keys %v, signed %v: kept %v", tt.c.Keys != nil, tt.tag.Signed, kept)
		}
	}
}

func ExampleKeyring() {
	secret, err := DecodeKey([]byte("c2VjcmV0c2VjcmV0c2VjcmV0c2VjcmV0c2VjcmV0MDA="))
	if err != nil {
		panic(err)
	}
	keys, err := NewKeyring(map[string][]byte{"edge-1": secret})
	if err != nil {
		panic(err)
	}
	now := time.Unix(1_730_000_000, 0)
	s, err := keys.Sign("edge-1", Claims{Criticality: class.CriticalPlus, Expires: now.Add(time.Minute)}, now)
	if err != nil {
		panic(err)
	}
	fmt.Println(s)
	claims, verdict := keys.Verify(s, now.Add(30*time.Second))
	fmt.Println(claims.Criticality, verdict)
	_, verdict = keys.Verify(s, now.Add(time.Hour))
	fmt.Println(verdict)
	// Output:
	// v1;k=edge-1;e=1730000060;c=CRITICAL_PLUS;s=El5gIp8kPJejMKKNMOZvbjicGGgSj3QYxD4ATTJkpts
	// CRITICAL_PLUS verified
	// outdated
}

// FuzzVerify holds that nothing is verified but what was signed.
func FuzzVerify(f *testing.F) {
	k := keyring(f, map[string][]byte{"edge-1": edgeKey, "edge-2": newKey})
	good := sign(f, k, "edge-1", Claims{Criticality: class.Critical, Level: 3, Timeout: time.Second, Expires: signedAt.Add(time.Minute)}, signedAt)
	f.Add(good, int64(0))
	f.Add(strings.Replace(good, "edge-1", "edge-2", 1), int64(30))
	f.Add("v1;k=edge-1;e=1;c=CRITICAL;s=", int64(-1))
	f.Fuzz(func(t *testing.T, value string, after int64) {
		now := signedAt.Add(time.Duration(after))
		c, v := k.Verify(value, now)
		if v == Unsigned || v >= NumVerdicts || v != Verified && c != (Claims{}) {
			t.Fatalf("%q: %v, %+v", value, v, c)
		}
		if v != Verified {
			return
		}
		text, code, _ := strings.Cut(value, ";s=")
		if code != codeOf(edgeKey, text) && code != codeOf(newKey, text) {
			t.Fatalf("%q is verified", value)
		}
		id := "edge-1"
		if strings.HasPrefix(text, "v1;k=edge-2;") {
			id = "edge-2"
		}
		if string(appendClaims(nil, id, c)) != text {
			t.Fatalf("%q is read as %+v", value, c)
		}
	})
}
