//go:build unix

package bounds

import (
	"math"
	"syscall"
)

// files is the soft bound of descriptors, which the Go runtime has raised to
// the hard one. 0: there is none.
func files() int {
	var limit syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &limit); err != nil {
		return 0
	}
	if most := uint64(limit.Cur); most < math.MaxInt32 {
		return int(most)
	}
	return 0
}
