// Package deaf is for tests of what becomes of those who call where nobody is.
package deaf

import (
	"net"
	"testing"
)

// Address is a loopback address, host:port, that refuses connections until the
// test ends, and that nobody can get meanwhile: the near end of a connection. The
// address of a listener that was closed is the next one's who asks for a port.
func Address(t testing.TB) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	near, err := net.Dial("tcp", l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	far, err := l.Accept()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_, _ = near.Close(), far.Close()
	})
	return near.LocalAddr().String()
}
