package e2e

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/plimsoll-go/plimsoll/e2e/internal/process"
)

// program is the binary. It is built if none is named.
var program string

func init() { flag.StringVar(&program, "program", "", "play this binary instead of building one") }

func TestMain(m *testing.M) {
	if addr := os.Getenv(interopVariable); addr != "" {
		playInterop(addr)
		return
	}
	flag.Parse()
	status, err := run(m)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
	}
	os.Exit(status)
}

// run builds the program, runs the tests and removes what they leave.
func run(m *testing.M) (status int, err error) {
	if program != "" {
		return m.Run(), nil
	}
	dir, err := os.MkdirTemp("", "plimsoll-e2e-")
	if err != nil {
		return 1, err
	}
	defer os.RemoveAll(dir)
	if program, err = process.Build(context.Background(), dir); err != nil {
		return 1, err
	}
	return m.Run(), nil
}

// lookAtSources looks at every file that the program is built of: what a test
// has looked at, below its module, decides whether go test may take its last
// result from the cache. A link brings the other modules below this one.
var lookAtSources = sync.OnceValue(func() error {
	const format = `{{if not .Standard}}{{$dir := .Dir}}{{range .GoFiles}}{{$dir}}/{{.}}{{"\n"}}{{end}}{{range .EmbedFiles}}{{$dir}}/{{.}}{{"\n"}}{{end}}{{end}}`
	out, err := exec.Command("go", "list", "-deps", "-f", format, process.Package).Output()
	if err != nil {
		return fmt.Errorf("go list: %w", err)
	}
	root, err := filepath.Abs("..")
	if err != nil {
		return err
	}
	for file := range strings.FieldsSeq(string(out)) {
		if inside, ok := strings.CutPrefix(file, root+"/"); ok {
			if _, err := os.Stat(filepath.Join("testdata/repository", inside)); err != nil {
				return err
			}
		}
	}
	return nil
})
