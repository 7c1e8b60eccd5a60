package arena

import (
	"encoding/xml"
	"errors"
	"io"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/plimsoll-go/plimsoll/sim"
)

// How many are needed in flight, worked out by hand.
func TestIdeal(t *testing.T) {
	for _, tt := range []struct {
		bout string
		at   time.Duration
		want float64
	}{
		{"step", 10 * time.Second, 2.4}, {"step", 30 * time.Second, 8},
		{"halves", 10 * time.Second, 5.6}, {"halves", 40 * time.Second, 4}, {"halves", 70 * time.Second, 5.6},
		{"doubles", 40 * time.Second, 8},
		{"downstream", 10 * time.Second, 4}, {"downstream", 40 * time.Second, 44},
		{"blips", 20 * time.Second, 84}, {"blips", 22 * time.Second, 4},
		{"slow-worker", 100 * time.Second, 1},
	} {
		bouts, err := Suite([]string{tt.bout})
		if err != nil {
			t.Fatal(err)
		}
		b := &bouts[0]
		offers, err := sim.Offered(b.scenario, Tuning)
		if err != nil {
			t.Fatal(err)
		}
		if got := b.ideal(offers, idealBucket)[tt.at/idealBucket]; math.Abs(got/tt.want-1) > 0.12 {
			t.Errorf("%s at %v: %.2f in flight, want %g", tt.bout, tt.at, got, tt.want)
		}
	}
}

// A picture is XML, says what it shows, and is light.
func TestPicture(t *testing.T) {
	bouts, err := Suite([]string{"halves"})
	if err != nil {
		t.Fatal(err)
	}
	svg, err := bouts[0].Picture(Tuning)
	if err != nil {
		t.Fatal(err)
	}
	for d := xml.NewDecoder(strings.NewReader(svg)); ; {
		if _, err := d.Token(); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatal(err)
		}
	}
	for _, want := range []string{"auto", "gate-gradient", "failsafe", "limit, requests in flight", ">30 s<", ">100<", "prefers-color-scheme:dark", "<desc"} {
		if !strings.Contains(svg, want) {
			t.Errorf("no %q", want)
		}
	}
	if len(svg) > 16<<10 {
		t.Errorf("%d bytes", len(svg))
	}
}

// The record is a page and a folder of pictures beside it, which it names.
func TestRecord(t *testing.T) {
	bouts, err := Suite([]string{"doubles", "guaranteed"})
	if err != nil {
		t.Fatal(err)
	}
	for i := range bouts {
		bouts[i].scenario.Length, bouts[i].plot = 40*time.Second, bouts[i].plot[:min(1, len(bouts[i].plot))]
		bouts[i].changes = bouts[i].changes[:min(1, len(bouts[i].changes))]
		bouts[i].trigger = -1
	}
	policies := Policies()[:3]
	tasks := []Task{{&bouts[0], policies, Tuning, 2, true}, {&bouts[1], policies, Tuning, 2, true}}
	scores, err := Play(tasks, func() {})
	if err != nil {
		t.Fatal(err)
	}
	const ext = ".md"
	file := filepath.Join(t.TempDir(), "record"+ext)
	if err := WriteRecord(file, bouts, Sum(scores, policies), policies); err != nil {
		t.Fatal(err)
	}
	page, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"doubles, 32 s to 40 s", "fixed is no published algorithm", "(record/doubles.svg)", "A guaranteed share", "CRITICAL_PLUS answered in time", "None is above the clairvoyant|No run is above it"} {
		found := false
		for _, one := range strings.Split(want, "|") {
			found = found || strings.Contains(string(page), one)
		}
		if !found {
			t.Errorf("no %q in\n%s", want, page)
		}
	}
	if _, err := os.Stat(filepath.Join(filepath.Dir(file), "record", "doubles.svg")); err != nil {
		t.Error(err)
	}
	for _, s := range scores {
		if s.Scenario == "guaranteed" && s.Policy != None && (s.Guaranteed == nil || *s.Guaranteed < 0.9) {
			t.Errorf("%s: of a guaranteed share, %v", s.Policy, s.Guaranteed)
		}
		if s.Clairvoyant != nil && *s.Clairvoyant > 1 {
			t.Errorf("%s, %s: %.3f of the clairvoyant optimum", s.Scenario, s.Policy, *s.Clairvoyant)
		}
	}
}
