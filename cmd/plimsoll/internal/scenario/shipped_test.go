package scenario

import (
	"io/fs"
	"path"
	"strings"
	"testing"

	"github.com/plimsoll-go/plimsoll/scenarios"
)

// Every scenario that the program brings with it is without faults under each
// of its policies, and says what it shows.
func TestShippedScenarios(t *testing.T) {
	n := 0
	err := fs.WalkDir(scenarios.Files, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || path.Ext(name) != ".yaml" {
			return err
		}
		n++
		data, err := scenarios.Files.ReadFile(name)
		if err != nil {
			return err
		}
		f, err := Decode(name, data, func(file string) ([]byte, error) {
			return scenarios.Files.ReadFile(path.Join(path.Dir(name), file))
		})
		if err != nil {
			t.Errorf("%v", err)
			return nil
		}
		if f.About == "" || f.Name == strings.TrimSuffix(path.Base(name), ".yaml") {
			t.Errorf("%s: it does not say what it shows: a comment at the top, and a name", name)
		}
		return nil
	})
	if err != nil || n < 6 {
		t.Errorf("%d scenarios, %v", n, err)
	}
}
