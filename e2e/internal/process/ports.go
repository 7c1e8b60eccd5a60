package process

import (
	"fmt"
	"math/rand/v2"
	"net"
)

// Ports returns addresses of loopback at which nobody listens. They lie below
// those that systems give to outgoing connections, so that none of these takes
// one before it is used.
func Ports(n int) ([]string, error) {
	var free []string
	for range 100 * n {
		addr := fmt.Sprintf("127.0.0.1:%d", 10000+rand.IntN(22000))
		l, err := net.Listen("tcp", addr)
		if err != nil {
			continue
		}
		// Held until all are found, so that none is found twice.
		defer l.Close()
		if free = append(free, addr); len(free) == n {
			return free, nil
		}
	}
	return nil, fmt.Errorf("no %d free ports of loopback", n)
}
