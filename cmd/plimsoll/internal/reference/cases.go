package reference

import (
	"fmt"
	"io/fs"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/plimsoll-go/plimsoll/cmd/plimsoll/internal/measure"
	"github.com/plimsoll-go/plimsoll/cmd/plimsoll/internal/scenario"
	"github.com/plimsoll-go/plimsoll/cmd/plimsoll/internal/strict"
)

// kase is one reference case.
type kase struct {
	id    string
	files []*scenario.File
	// expected is beside files.
	expected [][]measure.Expectation
	pending  string // why it has no files
}

// waiting are the cases that need what does not exist yet, and what that is.
var waiting = map[string]string{
	"R13": "pools that submit to themselves need the bounded stages of streams, which do not exist yet",
	"R18": "rows written and not yet sent need the credits of streams, which do not exist yet",
	"R23": "records fetched and not yet stored need the credits of streams, which do not exist yet",
}

var fileName = regexp.MustCompile(`^(R\d\d)(-[a-z0-9-]+)?\.yaml$`)

// load reads the cases of a folder, all of them or those of the given ids. The
// error is [strict.Faults].
func load(dir fs.FS, shown string, ids []string) ([]kase, error) {
	entries, err := fs.ReadDir(dir, ".")
	if err != nil {
		return nil, strict.Faults{{File: shown, Want: "want a folder of scenario files: " + err.Error()}}
	}
	slices.SortFunc(entries, func(a, b fs.DirEntry) int {
		stem := func(e fs.DirEntry) string { return strings.TrimSuffix(e.Name(), ".yaml") }
		return strings.Compare(stem(a), stem(b)) // "R01.yaml" before "R01-99.yaml"
	})
	var faults strict.Faults
	byID := map[string]*kase{}
	for id, why := range waiting {
		byID[id] = &kase{id: id, pending: why}
	}
	for _, e := range entries {
		m := fileName.FindStringSubmatch(e.Name())
		if m == nil || len(ids) > 0 && !slices.Contains(ids, m[1]) {
			continue
		}
		if byID[m[1]] == nil {
			byID[m[1]] = &kase{id: m[1]}
		}
		err := byID[m[1]].read(dir, shown, e.Name())
		if more, ok := strict.FaultsOf(err); ok {
			faults = append(faults, more...)
		} else if err != nil {
			faults = append(faults, strict.Fault{File: path.Join(shown, e.Name()), Want: "want a file that can be read: " + err.Error()})
		}
	}
	var cases []kase
	for _, c := range byID {
		if len(ids) == 0 || slices.Contains(ids, c.id) {
			cases = append(cases, *c)
		}
	}
	slices.SortFunc(cases, func(a, b kase) int { return strings.Compare(a.id, b.id) })
	for _, id := range ids {
		if byID[id] == nil {
			faults = append(faults, strict.Fault{Key: id, Want: fmt.Sprintf("want the id of a case of %s, such as R04", shown)})
		}
	}
	return cases, faults.Err()
}

// read reads one file of a case.
func (c *kase) read(dir fs.FS, shown, name string) error {
	data, err := fs.ReadFile(dir, name)
	if err != nil {
		return err
	}
	f, err := scenario.Decode(path.Join(shown, name), data, func(name string) ([]byte, error) { return fs.ReadFile(dir, name) })
	if err != nil {
		return err
	}
	expected, err := measure.Of(f)
	if err != nil {
		return err
	}
	if len(expected) == 0 {
		return strict.Faults{{File: f.Path, Key: "expect", Want: "want what is expected of it"}}
	}
	c.files = append(c.files, f)
	c.expected = append(c.expected, expected)
	c.pending = ""
	return nil
}
