// Package golden holds, in tests, that a text is as it was. go test -update makes
// what it is now that which it was; whoever does that looks at what has changed.
package golden

import (
	"flag"
	"os"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write the golden files anew, where a text has changed on purpose")

// File holds that a file has a text, and says in which line it has another.
func File(t testing.TB, name, text string) {
	t.Helper()
	if *update {
		if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	if line, have, want := differ(text, string(data)); line > 0 {
		t.Errorf("%s:%d: have %q, want %q; go test -update writes it, if that is on purpose", name, line, have, want)
	}
}

// differ returns the first line in which two texts are not the same, as both
// have it, with its end; 0: they are the same.
func differ(a, b string) (line int, inA, inB string) {
	for line = 1; a != "" || b != ""; line++ {
		inA, a = cut(a)
		inB, b = cut(b)
		if inA != inB {
			return line, inA, inB
		}
	}
	return 0, "", ""
}

// cut takes the first line off a text, with its end.
func cut(text string) (line, rest string) {
	n := strings.IndexByte(text, '\n') + 1
	if n == 0 {
		n = len(text)
	}
	return text[:n], text[n:]
}
