//go:build !unix

package target

// quiet has no way to look at a socket without reading from it here.
func quiet(uintptr) bool { return true }
