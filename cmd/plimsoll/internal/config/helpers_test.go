package config

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// loadFile reads text as a file called gate.yaml, with further flags. The files
// that it names are not looked for.
func loadFile(t testing.TB, text string, f Flags) (Config, []string) {
	t.Helper()
	dir := t.TempDir()
	f.Config = filepath.Join(dir, "gate.yaml")
	if err := os.WriteFile(f.Config, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	c, err := LoadText(f)
	c.Places = nil // TestPlaces has them
	if err == nil {
		return c, nil
	}
	return c, strings.Split(strings.ReplaceAll(err.Error(), dir+"/", ""), "\n")
}

// good loads a file of which nothing is wrong; version and an upstream called
// shop are there.
func good(t testing.TB, text string) Config {
	t.Helper()
	c, faults := loadFile(t, text+minimal, Flags{})
	if faults != nil {
		t.Fatalf("faults in a good file:\n%s", strings.Join(faults, "\n"))
	}
	return c
}

// minimal is what every file needs.
const minimal = "\nversion: 1\nupstreams: {shop: {endpoints: [http://127.0.0.1:8081]}}\n"

// gateOf is a file with one key of a gate, in its first line.
func gateOf(key string) string { return "gates: {shop: {" + key + "}}" }

func given(s string) *string { return &s }
