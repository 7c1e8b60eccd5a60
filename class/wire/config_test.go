package wire

import (
	"net/textproto"
	"strings"
	"testing"
	"time"
)

func TestValidate(t *testing.T) {
	good := []Config{
		{},
		{TimeoutHeader: "X-Budget-Ms", MaxTimeout: time.Minute, DefaultTimeout: time.Minute, Floor: time.Millisecond, Trusted: true, Ceiling: 4, Sources: DefaultSources | FromPriority},
	}
	for _, c := range good {
		if err := c.Validate(); err != nil {
			t.Errorf("%+v: %v", c, err)
		}
	}
	bad := []struct {
		c    Config
		keys []string
	}{
		{Config{TimeoutHeader: "x-budget-ms"}, []string{`TimeoutHeader: want a header's name as net/http spells it ("X-Budget-Ms"), have x-budget-ms`}},
		{Config{TimeoutHeader: "X Budget"}, []string{"TimeoutHeader: want a header's name"}},
		{Config{DefaultTimeout: time.Minute}, []string{"DefaultTimeout: want no more than MaxTimeout, 30s, have 1m0s"}},
		{Config{DefaultTimeout: time.Second, Floor: 2 * time.Second}, []string{"DefaultTimeout: want 0, or no less than Floor"}},
		{Config{MaxTimeout: -1, DefaultTimeout: -1, Floor: -1, Ceiling: 5}, []string{"MaxTimeout", "DefaultTimeout", "Floor", "Ceiling"}},
	}
	for _, tt := range bad {
		err := tt.c.Validate()
		if err == nil {
			t.Errorf("%+v is valid", tt.c)
			continue
		}
		lines := strings.Split(err.Error(), "\n")
		if len(lines) != len(tt.keys) {
			t.Errorf("%+v has the faults %q, want %d", tt.c, lines, len(tt.keys))
		}
		for i, key := range tt.keys {
			if i < len(lines) && !strings.HasPrefix(lines[i], "wire: Config."+key) {
				t.Errorf("%+v: fault %q, want %q", tt.c, lines[i], key)
			}
		}
	}
}

func TestCanonicalKey(t *testing.T) {
	for _, s := range []string{"", "x-budget-ms", "X-BUDGET-MS", "X-Budget-Ms", "a", "-a", "a--b", "x_y-z", "x.y", "1a-2b", "!#$%&'*+^`|~"} {
		if got, want := canonicalKey(s), textproto.CanonicalMIMEHeaderKey(s); got != want {
			t.Errorf("canonicalKey(%q) = %q, want %q", s, got, want)
		}
	}
	for _, s := range []string{"a b", "ä", "a:", "a\x00", "(a)"} {
		if got := canonicalKey(s); got != "" {
			t.Errorf("canonicalKey(%q) = %q, want none", s, got)
		}
	}
}
