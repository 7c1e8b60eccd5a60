package strict

import (
	"errors"
	"fmt"
	"strings"
	"testing"
)

func TestFaultsOf(t *testing.T) {
	var r Reader
	r.Want(Value{Key: "--limit"}, "a number")
	r.Want(Value{Key: "limit", File: "gate.yaml", Line: 3}, "a number")
	const all = "gate.yaml:3: limit: want a number\n--limit: want a number"
	if f, ok := FaultsOf(fmt.Errorf("wrapped: %w", r.Faults.Err())); !ok || f.Error() != all {
		t.Errorf("have %v, %v", f, ok)
	}
	if _, ok := FaultsOf(errors.New("another")); ok {
		t.Error("another error is faults")
	}
	if Faults(nil).Err() != nil {
		t.Error("no faults are an error")
	}
}

// A key is whatever a file says. It leaves the line as little as a value does,
// and does nothing to a terminal.
func TestKeysAreShownOnOneLine(t *testing.T) {
	var r Reader
	text := "\"a\\e[2Jb\\nc\\u0085d\": 1\n" + strings.Repeat("k", 1000) + ": 1\n"
	root, ok := r.Document("f.yaml", "settings", []byte(text))
	if !ok {
		t.Fatal(r.Faults)
	}
	r.Object(root, []string{"name"}, func(string, Value) {})
	want := "f.yaml:1: a?[2Jb?c?d: want a known key: name\nf.yaml:2: " + strings.Repeat("k", 200) + "...: want a known key: name"
	if have := r.Faults.Error(); have != want {
		t.Errorf("have %q, want %q", have, want)
	}
}
