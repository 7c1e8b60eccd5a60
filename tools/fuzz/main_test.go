package main

import (
	"slices"
	"testing"
	"time"
)

func TestParseList(t *testing.T) {
	got := parseList("FuzzA\nFuzzB\nok  \texample.org/a\t0.01s\nok  \texample.org/b\t0.01s\n?   \texample.org/c\t[no test files]\nFuzzC\nok  \texample.org/d\t0.01s\n")
	want := []target{{"example.org/a", "FuzzA"}, {"example.org/a", "FuzzB"}, {"example.org/d", "FuzzC"}}
	if !slices.Equal(got, want) {
		t.Errorf("have %v, want %v", got, want)
	}
}

func TestShare(t *testing.T) {
	for _, tt := range []struct {
		each, total time.Duration
		n           int
		want        time.Duration
	}{
		{5 * time.Second, time.Minute, 2, 5 * time.Second},
		{5 * time.Second, time.Minute, 20, 3 * time.Second},
		{5 * time.Second, time.Minute, 600, time.Second},
	} {
		if got := share(tt.each, tt.total, tt.n); got != tt.want {
			t.Errorf("share(%s, %s, %d) = %s, want %s", tt.each, tt.total, tt.n, got, tt.want)
		}
	}
}

func TestStoppedLate(t *testing.T) {
	const late = "fuzz: elapsed: 3s, execs: 40304 (0/sec)\n--- FAIL: FuzzA (3.20s)\n    context deadline exceeded\nFAIL\n"
	for _, tt := range []struct {
		out  string
		want bool
	}{
		{late, true},
		{late + "    Failing input written to testdata/fuzz/FuzzA/1\n", false},
		{"--- FAIL: FuzzA (0.20s)\n    a_test.go:3: wrong\n", false},
	} {
		if got := stoppedLate(tt.out); got != tt.want {
			t.Errorf("stoppedLate(%q) = %v", tt.out, got)
		}
	}
}
