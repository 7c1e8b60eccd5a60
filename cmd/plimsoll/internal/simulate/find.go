package simulate

import (
	"errors"
	"io/fs"
	"os"
	"path"
	"strings"

	"github.com/plimsoll-go/plimsoll/cmd/plimsoll/internal/measure"
	"github.com/plimsoll-go/plimsoll/cmd/plimsoll/internal/scenario"
	"github.com/plimsoll-go/plimsoll/cmd/plimsoll/internal/strict"
	"github.com/plimsoll-go/plimsoll/scenarios"
)

// Find reads the scenario of a file, or the one of that name that the program
// brings with it. The error is [strict.Faults].
func Find(name string) (*scenario.File, error) {
	if _, err := os.Stat(name); err == nil || !errors.Is(err, fs.ErrNotExist) {
		f, err := scenario.Read(name)
		var r strict.Reader
		data, _ := r.ReadFile(name)
		return expecting(f, err, name, data)
	}
	known, err := embedded()
	if err != nil {
		return nil, err
	}
	want := strings.TrimSuffix(name, ".yaml")
	for _, file := range known {
		if title := strings.TrimSuffix(file, ".yaml"); title == want || path.Base(title) == want {
			return open(file)
		}
	}
	hint := "; see plimsoll sim list"
	if near := strict.Nearest(want, titles(known)); near != "" {
		hint = "; did you mean " + near + "?"
	}
	return nil, strict.Faults{{File: name, Want: "want a file, or the name of a scenario" + hint}}
}

// embedded are the files that the program brings with it: first those of the
// folder itself, then those of the folders in it.
func embedded() ([]string, error) {
	var top, below []string
	err := fs.WalkDir(scenarios.Files, ".", func(name string, _ fs.DirEntry, err error) error {
		switch {
		case path.Ext(name) != ".yaml":
		case path.Dir(name) == ".":
			top = append(top, name)
		default:
			below = append(below, name)
		}
		return err
	})
	return append(top, below...), err
}

func titles(files []string) []string {
	out := make([]string, len(files))
	for i, f := range files {
		out[i] = strings.TrimSuffix(path.Base(f), ".yaml")
	}
	return out
}

// open reads one of those.
func open(file string) (*scenario.File, error) {
	data, err := scenarios.Files.ReadFile(file)
	if err != nil {
		return nil, err
	}
	shown := "scenarios/" + file
	f, err := scenario.Decode(shown, data, func(name string) ([]byte, error) {
		return scenarios.Files.ReadFile(path.Join(path.Dir(file), name))
	})
	return expecting(f, err, shown, data)
}

// expecting adds the faults of what a file expects to those of the rest.
func expecting(f *scenario.File, err error, name string, data []byte) (*scenario.File, error) {
	if err == nil {
		if _, err = measure.Of(f); err != nil {
			return nil, err
		}
		return f, nil
	}
	faults, ok := strict.FaultsOf(err)
	if !ok {
		return nil, err
	}
	r := strict.Reader{Faults: faults}
	if v, ok := scenario.Expected(name, data); ok {
		measure.Decode(&r, v, measure.Known{})
	}
	return nil, r.Faults.Err()
}
