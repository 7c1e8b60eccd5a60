package capture

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"
	"testing"
)

func TestPseudonyms(t *testing.T) {
	a, b := newPseudonyms([]byte("a")), newPseudonyms([]byte("b"))
	seen := map[string]string{"": ""}
	written := texts{}
	for i := range 10_000 {
		name := fmt.Sprint("tenant ", i%5000) + strings.Repeat(".", i%5000)
		mac := hmac.New(sha256.New, []byte("a"))
		mac.Write([]byte(name))
		have := written.of(a.of(name))
		if have != hex.EncodeToString(mac.Sum(nil))[:16] {
			t.Fatalf("%.20s is %s", name, have)
		}
		if other, ok := seen[have]; ok && other != name {
			t.Fatalf("%.20s and %.20s are one", name, other)
		}
		seen[have] = name
		if written.of(b.of(name)) == have {
			t.Fatalf("%.20s is the same with another key", name)
		}
	}
	if len(written) > manyTexts {
		t.Errorf("%d are remembered", len(written))
	}
	if written.of(a.of("")) != "" {
		t.Error("nobody has a pseudonym")
	}
}
