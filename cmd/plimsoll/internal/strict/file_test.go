package strict

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// What keeps a file from being read is told without its name, which the fault has
// before it.
func TestContents(t *testing.T) {
	dir := t.TempDir()
	large, fits := filepath.Join(dir, "large"), filepath.Join(dir, "fits")
	for name, n := range map[string]int{large: maxFile + 1, fits: maxFile} {
		if err := os.WriteFile(name, []byte(strings.Repeat("#", n)), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for name, want := range map[string]string{
		filepath.Join(dir, "none"): "no such file or directory",
		dir:                        "is a directory",
		large:                      "it is larger than 1 MiB",
	} {
		if data, err := Contents(name); err == nil || err.Error() != want || data != nil {
			t.Errorf("%s: %d bytes, %v, want %s", name, len(data), err, want)
		}
		var r Reader
		if _, ok := r.ReadFile(name); ok || r.Faults.Err().Error() != name+": want a file that can be read: "+want {
			t.Errorf("%v", r.Faults)
		}
	}
	if data, err := Contents(fits); err != nil || len(data) != maxFile {
		t.Errorf("%d bytes, %v", len(data), err)
	}
	if err := errors.New("another"); Cause(err) != err {
		t.Error("another error does not stay as it is")
	}
}
