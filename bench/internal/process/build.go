package process

import (
	"context"
	"fmt"
	"os/exec"
	"path/filepath"
)

// Build builds plimsoll into a folder and returns its path.
func Build(ctx context.Context, folder string) (string, error) {
	path := filepath.Join(folder, "plimsoll")
	out, err := exec.CommandContext(ctx, "go", "build", "-o", path, "github.com/plimsoll-go/plimsoll/cmd/plimsoll").CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("building the program: %w\n%s", err, out)
	}
	return path, nil
}
