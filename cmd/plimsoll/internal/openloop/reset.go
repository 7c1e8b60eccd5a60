package openloop

import (
	"context"
	"net"
	"syscall"
)

// Dial makes a TCP connection that ends with a reset, as do those that were
// almost made when ctx is done. Whoever hangs up is the one whose local port the
// kernel would keep for a minute, and a load can hang up thousands of times a
// second.
func Dial(ctx context.Context, address string) (net.Conn, error) {
	dialer := net.Dialer{KeepAlive: -1, Control: func(_, _ string, socket syscall.RawConn) error {
		return socket.Control(resets)
	}}
	conn, err := dialer.DialContext(ctx, "tcp", address)
	if err != nil {
		return nil, err
	}
	if tcp, ok := conn.(*net.TCPConn); ok {
		_ = tcp.SetLinger(0) // where resets cannot
	}
	return conn, nil
}
