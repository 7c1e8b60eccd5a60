package config

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// load reads text as a file called gate.yaml, with further flags.
func load(t testing.TB, text string, f Flags) (Config, []string) {
	t.Helper()
	dir := t.TempDir()
	f.Config = filepath.Join(dir, "gate.yaml")
	if err := os.WriteFile(f.Config, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	c, err := Load(f)
	if err == nil {
		return c, nil
	}
	return c, strings.Split(strings.ReplaceAll(err.Error(), dir+"/", ""), "\n")
}

// good loads a file of which nothing is wrong; version and upstream are there.
func good(t *testing.T, text string) Config {
	t.Helper()
	c, faults := load(t, text+minimal, Flags{})
	if faults != nil {
		t.Fatalf("faults in a good file:\n%s", strings.Join(faults, "\n"))
	}
	return c
}

// minimal is what every file needs.
const minimal = "\nversion: 1\nupstream: http://127.0.0.1:8081\n"

func text(s string) *string { return &s }
