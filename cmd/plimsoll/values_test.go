package main

import (
	"slices"
	"strings"
	"testing"
)

// Values that are none of their flag's kind are named with all else that is wrong.
func TestWrongValues(t *testing.T) {
	code, out, errs := call("load", "http://127.0.0.1:1", "--rate", "abc", "--for", "5", "--max-slip=x", "--max-in-flight", "2.5", "--seed=-1", "--knee-most", "y", "--rte", "5", "--class", "critcal", "--body-file", "no-such")
	var have []string
	for line := range strings.Lines(errs) {
		key, _, _ := strings.Cut(line, ": ")
		have = append(have, key)
	}
	slices.Sort(have)
	want := []string{"--body-file", "--class critcal", "--for", "--knee-most", "--max-in-flight", "--max-slip", "--rate", "--rte", "--seed", "<url>"}
	if code != 2 || out != "" || !slices.Equal(have, want) {
		t.Errorf("exit %d, %q\n%s\nof %q, want %q", code, out, errs, have, want)
	}
	for _, line := range []string{
		"--for: want a duration that is not negative; it needs a unit right behind the number, such as 500ms, 2s or 1h30m, have 5\n",
		"--max-in-flight: want a whole number, have 2.5\n", "--seed: want a whole number of 0 or more, have -1\n", "--knee-most: want a number, have y\n",
		"--rte: want a flag of plimsoll load; did you mean --rate?\n",
	} {
		if !strings.Contains(errs, line) {
			t.Errorf("want %sin\n%s", line, errs)
		}
	}
}

func TestWithout(t *testing.T) {
	for _, tt := range []struct{ args, rest, value string }{
		{"a --b 1 c", "a c", "1"},
		{"a --b=1 c", "a c", "1"},
		{"a --b", "a", ""},
		{"--b=1 --b 2 c", "c", "2"},
		{"--b --c d", "d", "--c"},
	} {
		rest, value, found := without(strings.Fields(tt.args), "--b")
		if !found || value != tt.value || strings.Join(rest, " ") != tt.rest {
			t.Errorf("%s: %q, %q, %v", tt.args, rest, value, found)
		}
	}
}

// The help of load has the flags of what it stands for.
func TestHelpOfACommandThatStandsForAnother(t *testing.T) {
	for _, args := range [][]string{{"load", "--help"}, {"load", "-h"}, {"load", "run", "--help"}, {"load", "http://127.0.0.1:1", "--help"}} {
		if code, out, _ := call(args...); code != 0 || !strings.Contains(out, "--rate=") {
			t.Errorf("%q: exit %d, %s", args, code, out)
		}
	}
	if code, out, _ := call("size", "--help"); code != 0 || !strings.Contains(out, "size queue") {
		t.Errorf("exit %d, %s", code, out)
	}
}
