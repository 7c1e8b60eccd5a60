// Package repository is what tests need of the repository round this module:
// [Sources] looks at what the program is built of, [Need] finds what it is
// played against. Both take the path of the repository, which has to be one by
// way of testdata/repository, a link below this module: what a test has looked
// at there decides whether go test may take its last result from the cache.
package repository

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/plimsoll-go/plimsoll/e2e/internal/process"
)

var (
	once   sync.Once
	looked error
)

// Sources looks at every file that the program is built of. Calls after the
// first return what that did.
func Sources(repository string) error {
	once.Do(func() { looked = look(repository) })
	return looked
}

func look(repository string) error {
	const format = `{{if not .Standard}}{{$dir := .Dir}}{{range .GoFiles}}{{$dir}}/{{.}}{{"\n"}}{{end}}{{range .EmbedFiles}}{{$dir}}/{{.}}{{"\n"}}{{end}}{{end}}`
	out, err := exec.Command("go", "list", "-deps", "-f", format, process.Package).Output()
	if err != nil {
		return fmt.Errorf("go list: %w", err)
	}
	root, err := filepath.EvalSymlinks(repository)
	if err == nil {
		root, err = filepath.Abs(root)
	}
	if err != nil {
		return err
	}
	for file := range strings.FieldsSeq(string(out)) {
		if inside, ok := strings.CutPrefix(file, root+"/"); ok {
			if _, err := os.Stat(filepath.Join(repository, inside)); err != nil {
				return err
			}
		}
	}
	return nil
}

// Need returns where a program or an npm package is (tools/need.sh); the test
// is skipped where it cannot be had.
func Need(t testing.TB, repository string, what ...string) string {
	t.Helper()
	out, err := exec.Command(filepath.Join(repository, "tools/need.sh"), what...).Output()
	var exit *exec.ExitError
	switch {
	case errors.As(err, &exit):
		t.Skip(strings.TrimSpace(string(exit.Stderr)))
	case err != nil:
		t.Skip(err)
	}
	return strings.TrimSpace(string(out))
}
