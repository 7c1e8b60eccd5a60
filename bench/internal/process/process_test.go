package process

import (
	"path/filepath"
	"strings"
	"testing"
)

func TestStartSaysWhyNot(t *testing.T) {
	if _, err := Start(filepath.Join(t.TempDir(), "nobody")); err == nil {
		t.Error("started what is not there")
	}
	_, err := Start("/bin/sh", "-c", "echo no such file; exit 1")
	if err == nil || !strings.Contains(err.Error(), "no such file") {
		t.Errorf("%v", err)
	}
	_, err = StartAt(t.Context(), "127.0.0.1:1", "/bin/sh", "-c", "echo wrong file; exit 1")
	if err == nil || !strings.Contains(err.Error(), "wrong file") {
		t.Errorf("%v", err)
	}
}
