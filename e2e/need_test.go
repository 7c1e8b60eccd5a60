package e2e

import (
	"errors"
	"os/exec"
	"strings"
	"testing"
)

// need returns where a program or an npm package is (tools/need.sh); the test
// is skipped where it cannot be had.
func need(t testing.TB, what ...string) string {
	t.Helper()
	out, err := exec.Command("../tools/need.sh", what...).Output()
	var exit *exec.ExitError
	switch {
	case errors.As(err, &exit):
		t.Skip(strings.TrimSpace(string(exit.Stderr)))
	case err != nil:
		t.Skip(err)
	}
	return strings.TrimSpace(string(out))
}
