package e2e

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// settings writes a configuration file in a folder of its own. LISTEN and ADMIN
// in the text stand for the two addresses.
func settings(t testing.TB, at []string, text string) string {
	t.Helper()
	name := filepath.Join(t.TempDir(), "proxy.yaml")
	text = strings.NewReplacer("LISTEN", at[0], "ADMIN", at[1]).Replace(text)
	if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	return name
}
