package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/plimsoll-go/plimsoll/bench/internal/fronts"
)

func TestCheckReportsEveryFault(t *testing.T) {
	p := full
	p.rounds = 1
	page := filepath.Join(t.TempDir(), "page")
	if err := p.check(nil, "", page); err != nil {
		t.Errorf("the defaults: %v", err)
	}
	if _, err := os.Stat(page); err == nil {
		t.Error("the page is there before anything was measured")
	}
	p.rounds = 0
	err := p.check([]string{"x"}, "nginx,apache,2x", filepath.Join(t.TempDir(), "no", "page"))
	for _, want := range []string{"flags only", "--rounds", "--only of nothing, nginx", `have "apache"`, "--doc"} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q is not in %v", want, err)
		}
	}
}

func TestKeep(t *testing.T) {
	for _, tt := range []struct {
		only         string
		fronts, rows int
	}{
		{"", len(full.fronts), len(full.rows)},
		{"nginx", 1, len(full.rows)},
		{"2x,half", len(full.fronts), 2},
		{"nginx,plimsoll,flood", 2, 1},
	} {
		p := full
		if unknown := p.keep(tt.only); unknown != nil || len(p.fronts) != tt.fronts || len(p.rows) != tt.rows {
			t.Errorf("%q: %d fronts, %d rows, unknown %q", tt.only, len(p.fronts), len(p.rows), unknown)
		}
	}
}

// TestPlansAreBounded reckons what the command takes when no run is void, with
// a second and a half for each run to start and to end.
func TestPlansAreBounded(t *testing.T) {
	for _, tt := range []struct {
		name   string
		plan   plan
		atMost float64 // minutes
	}{{"full", full, 20}, {"short", short, 6}} {
		seconds := 0.0
		for _, r := range tt.plan.rows {
			seconds += tt.plan.closed.Seconds() + float64(len(fronts.All))*(float64(r.Seconds())+1.5)
		}
		if seconds/60 > tt.atMost {
			t.Errorf("%s: %.1f minutes, want at most %g", tt.name, seconds/60, tt.atMost)
		}
	}
}

func TestCommand(t *testing.T) {
	if got := command([]string{"--rounds", "3"}); got != "make live LIVE_FLAGS='--rounds 3'" {
		t.Error(got)
	}
	if got := command(nil); got != "make live" {
		t.Error(got)
	}
}
