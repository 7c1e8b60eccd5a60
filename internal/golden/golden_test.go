package golden

import (
	"os"
	"path/filepath"
	"testing"
)

func TestDiffer(t *testing.T) {
	for _, tt := range []struct {
		a, b     string
		line     int
		inA, inB string
	}{
		{"", "", 0, "", ""},
		{"a\nb\n", "a\nb\n", 0, "", ""},
		{"a\nb\n", "a\nc\n", 2, "b\n", "c\n"},
		{"a\nb", "a\nb\n", 2, "b", "b\n"},
		{"a\n", "a\n\n", 2, "", "\n"},
		{"a\nb\n", "a\n", 2, "b\n", ""},
	} {
		if line, inA, inB := differ(tt.a, tt.b); line != tt.line || inA != tt.inA || inB != tt.inB {
			t.Errorf("%q, %q: line %d, %q and %q", tt.a, tt.b, line, inA, inB)
		}
	}
}

// told is a test that keeps what it is told.
type told struct {
	testing.TB
	failed bool
}

func (t *told) Errorf(string, ...any) { t.failed = true }

func TestFile(t *testing.T) {
	name := filepath.Join(t.TempDir(), "text")
	if err := os.WriteFile(name, []byte("as it was\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	was := *update
	defer func() { *update = was }()
	for _, tt := range []struct {
		text           string
		update, failed bool
	}{{"as it was\n", false, false}, {"another\n", false, true}, {"another\n", true, false}, {"another\n", false, false}} {
		*update = tt.update
		one := &told{TB: t}
		if File(one, name, tt.text); one.failed != tt.failed {
			t.Errorf("%+v: failed %v", tt, one.failed)
		}
	}
}
