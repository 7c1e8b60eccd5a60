package config

import (
	"fmt"
	"net"
	"net/netip"
)

// addresses checks that every port can be bound beside the others.
func (r *reader) addresses(c Config) {
	type bound struct{ place, address string }
	taken := []bound{{"admin", c.Admin}}
	for i, l := range c.Listeners {
		place := fmt.Sprintf("listeners[%d].address", i)
		for _, t := range taken {
			if r.fine(place, t.place) && overlap(l.Address, t.address) {
				r.Want(r.giver(place, t.place), "another address than that of %s, %s", t.place, t.address)
				break
			}
		}
		taken = append(taken, bound{place, l.Address})
	}
}

// overlap reports whether only one of two addresses can be bound: the port is
// the same, and the host, or one of the hosts is every address of its kind.
func overlap(a, b string) bool {
	hostA, portA, errA := net.SplitHostPort(a)
	hostB, portB, errB := net.SplitHostPort(b)
	if errA != nil || errB != nil || portA != portB || portA == "0" {
		return false
	}
	return hostA == hostB || covers(hostA, hostB) || covers(hostB, hostA)
}

// covers reports whether host stands for all addresses, or for all of version
// 4, and other is among them. A name may be any of them.
func covers(host, other string) bool {
	if host == "" {
		return true
	}
	h, err := netip.ParseAddr(host)
	if err != nil || !h.IsUnspecified() {
		return false
	}
	o, err := netip.ParseAddr(other)
	return h.Is6() || err != nil || o.Is4()
}
