package demo

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/plimsoll-go/plimsoll/cmd/plimsoll/internal/section"
	"github.com/plimsoll-go/plimsoll/cmd/plimsoll/internal/strict"
	"github.com/plimsoll-go/plimsoll/internal/golden"
)

// page makes a file to put a table into.
func page(t *testing.T, text string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "page")
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

func TestMarkdownIsAsItWas(t *testing.T) {
	text := tale().markdown("make demo")
	text, _, _ = strings.Cut(text, "Measured by `make demo`: go")
	golden.File(t, "testdata/table", text)
}

func TestFilesAreWritten(t *testing.T) {
	readme := page(t, "before\n"+section.Begin(mark)+"\nold\n"+section.End(mark)+"\nafter\n")
	c := Cmd{SVG: filepath.Join(t.TempDir(), "a.svg"), Readme: readme, Seed: defaultSeed}
	for range 2 { // the second time over what the first has written
		if err := c.Check(); err != nil {
			t.Fatal(err)
		}
		if err := c.write(tale()); err != nil {
			t.Fatal(err)
		}
	}
	data, _ := os.ReadFile(readme)
	got := string(data)
	if strings.Contains(got, "old") || !strings.HasPrefix(got, "before\n"+section.Begin(mark)+"\n") || !strings.HasSuffix(got, "\n"+section.End(mark)+"\nafter\n") ||
		strings.Count(got, "| overload 2.0x, bare |") != 1 {
		t.Errorf("%s", got)
	}
	if svg, err := os.ReadFile(c.SVG); err != nil || !strings.HasPrefix(string(svg), "<svg ") {
		t.Errorf("%v: %.40s", err, svg)
	}
}

func TestWrongFilesAreFaultsBeforeTheRun(t *testing.T) {
	absent := filepath.Join(t.TempDir(), "absent", "file")
	for _, tt := range []struct {
		name string
		cmd  Cmd
		want []string
	}{
		{"both", Cmd{SVG: absent, Readme: absent}, []string{"--svg: want a file", "--readme: want a file"}},
		{"a folder", Cmd{SVG: t.TempDir()}, []string{"is a directory"}},
		{"no marks", Cmd{Readme: page(t, "text\n")}, []string{"want one " + section.Begin(mark)}},
		{"two marks", Cmd{Readme: page(t, section.Begin(mark)+section.End(mark)+section.Begin(mark))}, []string{"want one " + section.Begin(mark)}},
		{"backwards", Cmd{Readme: page(t, section.End(mark)+section.Begin(mark))}, []string{"comes before"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			err := tt.cmd.Run()
			faults, ok := strict.FaultsOf(err)
			if !ok || len(faults) != len(tt.want) {
				t.Fatalf("%v", err)
			}
			for i, want := range tt.want {
				if !strings.Contains(faults[i].String(), want) {
					t.Errorf("%q, want %q in it", faults[i], want)
				}
			}
		})
	}
}

func TestCheckLeavesNothingBehind(t *testing.T) {
	fresh, full := filepath.Join(t.TempDir(), "fresh.svg"), page(t, "kept")
	for _, file := range []string{fresh, full} {
		if err := (&Cmd{SVG: file}).Check(); err != nil {
			t.Errorf("%v", err)
		}
	}
	if _, err := os.Stat(fresh); err == nil {
		t.Error("an empty file is left")
	}
	if got, _ := os.ReadFile(full); string(got) != "kept" {
		t.Errorf("the file is now %q", got)
	}
}

func TestCommandMakesTheSameAgain(t *testing.T) {
	for _, tt := range []struct {
		cmd  Cmd
		want string
	}{
		{Cmd{Seed: defaultSeed, SVG: "docs/demo.svg", Readme: "README.md"}, "make demo DEMO_FLAGS='--svg docs/demo.svg --readme README.md'"},
		{Cmd{Seed: 7, Fast: true, JSON: true, Readme: "README.md"}, "make demo DEMO_FLAGS='--fast --seed 7 --readme README.md'"},
	} {
		if got := tt.cmd.command(); got != tt.want {
			t.Errorf("got %s, want %s", got, tt.want)
		}
	}
}

func TestFaultsOfTheCheckoutsStory(t *testing.T) {
	c := Cmd{Story: storyCheckout, Overload: 9 * time.Second, SVG: filepath.Join(t.TempDir(), "demo.svg")}
	err := c.Check()
	for _, want := range []string{"--overload: want at least 10s, have 9s", "--story: want the story overload with --svg"} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v does not say %q", err, want)
		}
	}
}
