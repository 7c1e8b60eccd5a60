//go:build unix

package openloop

import "syscall"

// resets has a socket end with a reset, before it is connected.
func resets(fd uintptr) {
	_ = syscall.SetsockoptLinger(int(fd), syscall.SOL_SOCKET, syscall.SO_LINGER, &syscall.Linger{Onoff: 1})
}
