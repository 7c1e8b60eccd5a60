package e2e

import (
	"context"
	"fmt"
	"os"
	"testing"

	"github.com/plimsoll-go/plimsoll/e2e/internal/process"
)

// program is the built binary.
var program string

func TestMain(m *testing.M) {
	if play := os.Getenv(interopVariable); play != "" {
		playInterop(play)
		return
	}
	os.Exit(build(m))
}

// build builds the program, runs the tests and removes what they leave.
func build(m *testing.M) int {
	dir, err := os.MkdirTemp("", "plimsoll-e2e-")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer os.RemoveAll(dir)
	if program, err = process.Build(context.Background(), dir); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return m.Run()
}
