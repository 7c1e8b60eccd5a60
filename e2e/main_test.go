package e2e

import (
	"context"
	"flag"
	"fmt"
	"os"
	"testing"

	"github.com/plimsoll-go/plimsoll/e2e/internal/process"
	"github.com/plimsoll-go/plimsoll/e2e/internal/repository"
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

// root is the repository.
const root = "testdata/repository"

// need returns where a program or an npm package is; the test is skipped where
// it cannot be had.
func need(t testing.TB, what ...string) string {
	t.Helper()
	return repository.Need(t, root, what...)
}
