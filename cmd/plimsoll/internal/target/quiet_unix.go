//go:build unix

package target

import "syscall"

// quiet reports whether a socket is connected and nothing has come in: no end,
// no error, and no bytes that nobody has asked for.
func quiet(fd uintptr) bool {
	var one [1]byte
	_, _, err := syscall.Recvfrom(int(fd), one[:], syscall.MSG_PEEK|syscall.MSG_DONTWAIT)
	return err == syscall.EAGAIN
}
