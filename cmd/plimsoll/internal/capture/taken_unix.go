//go:build unix

package capture

import (
	"errors"
	"os"
	"syscall"
)

// taken reports whether another process writes a file, which is ours from now on
// otherwise, until it is closed. Where files have no locks, nobody is known to.
func taken(f *os.File) bool {
	return errors.Is(syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB), syscall.EWOULDBLOCK)
}
