package target

import (
	"net/url"
	"testing"

	"github.com/plimsoll-go/plimsoll/cmd/plimsoll/internal/mix"
)

// The URL of a load is asked for as it stands; paths of classes come after it, and
// keep its query.
func TestPlaces(t *testing.T) {
	for _, tt := range []struct{ base, path, want string }{
		{"http://h", "", "/"},
		{"http://h/", "", "/"},
		{"http://h/a/", "", "/a/"},
		{"http://h/a?b=1", "", "/a?b=1"},
		{"http://h/a%2Fb", "", "/a%2Fb"},
		{"http://h", "/c", "/c"},
		{"http://h/", "/c?d", "/c?d"},
		{"http://h/a/", "/c", "/a/c"},
		{"http://h/a%2Fb", "/c", "/a%2Fb/c"},
		{"http://h/a", "?d=2", "/a?d=2"},
		{"http://h/a?b=1", "?d=2", "/a?b=1&d=2"},
		{"http://h/a?b=1", "/c", "/a/c?b=1"},
		{"http://h/a?b=1", "/c?d=2", "/a/c?b=1&d=2"},
		{"http://h?b=1#part", "", "/?b=1"},
	} {
		base, err := url.Parse(tt.base)
		if err != nil {
			t.Fatal(err)
		}
		p, err := newPlace(base, &mix.Class{Path: tt.path})
		if err != nil || p.uri != tt.want {
			t.Errorf("%s and %q: %s (%v), want %s", tt.base, tt.path, p.uri, err, tt.want)
		}
		drawn, err := newPlace(base, &mix.Class{PathOf: &mix.Template{}})
		if err != nil {
			t.Fatal(err)
		}
		if _, uri, ok := drawn.at(tt.path); !ok || uri != tt.want {
			t.Errorf("%s and %q, drawn: %s, want %s", tt.base, tt.path, uri, tt.want)
		}
	}
}
