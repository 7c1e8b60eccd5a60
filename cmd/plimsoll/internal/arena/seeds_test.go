package arena

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"reflect"
	"strconv"
	"strings"
	"testing"
)

// The record has the kept seeds, and nothing else does unless it asks for one by
// its number.
func TestSeedsAreKeptApart(t *testing.T) {
	for _, tt := range []struct {
		cmd  Cmd
		want uint64
	}{
		{Cmd{}, Tuning}, {Cmd{Quick: true}, Tuning}, {Cmd{Tune: true}, Tuning}, {Cmd{JSON: true, Seeds: 40}, Tuning},
		{Cmd{Doc: "page"}, Kept}, {Cmd{Seed: 7}, 7}, {Cmd{Seed: 7, Doc: "page"}, 7}, {Cmd{Seed: 2000, Tune: true}, 2000},
	} {
		if faults := tt.cmd.seedFaults(); len(faults) > 0 || tt.cmd.first() != tt.want {
			t.Errorf("%+v: begins with %d, want %d; %v", tt.cmd, tt.cmd.first(), tt.want, faults.Err())
		}
	}
	for _, cmd := range []Cmd{
		{Tune: true, Doc: "page"}, {Tune: true, Seed: 999}, {Seed: 1000, Doc: "page"}, {Seed: 990, Doc: "page"},
		{Seed: 1, Doc: "page", Decide: 1000}, {Seeds: 1000}, {Decide: -1}, {Seeds: -1},
	} {
		if len(cmd.seedFaults()) == 0 {
			t.Errorf("%+v: no fault", cmd)
		}
	}
	if mostSeeds >= int(Tuning-Kept) {
		t.Error("the record may have more seeds than are kept for it")
	}
	f, _ := reflect.TypeFor[Cmd]().FieldByName("Tune")
	if help := f.Tag.Get("help"); !strings.Contains(help, "1000") || !strings.Contains(help, "kept for the record") {
		t.Errorf("--tune does not say which seeds it leaves alone: %q", help)
	}
}

// Nothing in the program plays the suite but its command, and only that names
// the seeds of the record.
func TestNothingElsePlaysTheKeptSeeds(t *testing.T) {
	const root = "../../../.."
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(path, ".go") {
			return err
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, 0)
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(root, path)
		rel = filepath.ToSlash(rel)
		own := strings.HasPrefix(rel, "cmd/plimsoll/internal/arena/")
		for _, i := range file.Imports {
			if p, _ := strconv.Unquote(i.Path.Value); strings.HasSuffix(p, "/internal/arena") && rel != "cmd/plimsoll/sim.go" {
				t.Errorf("%s plays the suite", rel)
			}
		}
		if own && strings.HasSuffix(rel, "_test.go") && !strings.HasSuffix(rel, "seeds_test.go") {
			ast.Inspect(file, func(n ast.Node) bool {
				if id, ok := n.(*ast.Ident); ok && id.Name == "Kept" {
					t.Errorf("%s names the seeds of the record", rel)
				}
				return true
			})
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}
