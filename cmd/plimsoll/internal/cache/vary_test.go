package cache

import (
	"net/http"
	"testing"
)

// What differs in Vary is the same where every service has to read it so, and
// nowhere else: services pick the first of equals, and read the first line alone.
func TestVaryTellsApart(t *testing.T) {
	for _, c := range []struct {
		name       string
		one, other []string
		same       bool
	}{
		{"Accept-Language", []string{"en"}, []string{"e n"}, false},
		{"Accept-Language", []string{"en, de"}, []string{"de, en"}, false},
		{"Accept-Language", []string{"en, de"}, []string{"EN ,\tde"}, true},
		{"Accept-Language", []string{"en, de"}, []string{"en", "de"}, false},
		{"Accept-Language", []string{"en;q=0.5"}, []string{"en ; q=0.5"}, true},
		{"Accept", []string{"text/html;v=A"}, []string{"text/html;v=a"}, false},
		{"Accept", []string{`text/html;v="a , b"`}, []string{`text/html;v="a,b"`}, false},
		{"Accept-Encoding", []string{"gzip, br"}, []string{"BR,gzip"}, true},
		{"X-Shape", []string{"a, b"}, []string{"a,b"}, false},
		{"X-Shape", []string{"a", "b"}, []string{"a,b"}, false},
	} {
		names := []string{c.name}
		one, _ := varyKey(names, http.Header{c.name: c.one})
		other, _ := varyKey(names, http.Header{c.name: c.other})
		if (one == other) != c.same {
			t.Errorf("%s: %q and %q: the same is %v, want %v", c.name, c.one, c.other, one == other, c.same)
		}
	}
}
