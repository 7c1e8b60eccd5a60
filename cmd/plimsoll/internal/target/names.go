package target

import (
	"context"
	"net"
	"net/url"
	"slices"
	"sync"
	"time"

	"github.com/plimsoll-go/plimsoll/cmd/plimsoll/internal/openloop"
)

// fresh is how long the addresses of a host are taken for its addresses.
const fresh = 5 * time.Second

// leastShare is how long an address is waited for before the next one has its
// turn, although there are many: that of a busy service takes its time.
const leastShare = 2 * time.Second

// names has the addresses of a host. It asks for them once in a while, and not for
// every connection: a load can make thousands a second, and what is put under
// load is the service and not the resolver. All connections go to one address,
// until that fails.
type names struct {
	host, port string
	lookup     func(ctx context.Context, host string) ([]string, error)
	connect    func(ctx context.Context, address string) (net.Conn, error)

	mu    sync.Mutex
	known []string
	first string // of known, the one that is tried first
	until time.Time
}

func newNames(u *url.URL) *names {
	host, port, _ := net.SplitHostPort(address(u)) // which has made it so
	return &names{host: host, port: port, lookup: net.DefaultResolver.LookupHost, connect: openloop.Dial}
}

// dial makes a connection that ends with a reset.
func (n *names) dial(ctx context.Context) (net.Conn, error) {
	known, err := n.addresses(ctx)
	if err != nil {
		return nil, err
	}
	var why error
	for i, a := range known {
		conn, err := n.try(ctx, a, len(known)-i)
		if err == nil {
			n.prefer(a)
			return conn, nil
		}
		n.prefer(known[(i+1)%len(known)])
		if why == nil || late(why) { // which is that of an address, and not of ctx
			why = err
		}
		if ctx.Err() != nil {
			break
		}
	}
	return nil, why
}

// try makes a connection to an address within its share of the time, with so many
// left to try. As of [net.Dialer] the share is no less than leastShare, while there
// is as much.
func (n *names) try(ctx context.Context, address string, left int) (net.Conn, error) {
	if until, ok := ctx.Deadline(); ok {
		within, cancel := context.WithTimeout(ctx, max(time.Until(until)/time.Duration(left), leastShare))
		defer cancel()
		ctx = within
	}
	return n.connect(ctx, net.JoinHostPort(address, n.port))
}

func (n *names) prefer(address string) {
	n.mu.Lock()
	n.first = address
	n.mu.Unlock()
}

// addresses are those of the host, in the order in which they are tried. When they
// are no longer fresh, one of those who ask looks them up, and the others go on
// with what was known.
func (n *names) addresses(ctx context.Context) ([]string, error) {
	now := time.Now()
	n.mu.Lock()
	known := n.orderedLocked()
	if len(known) > 0 && now.Before(n.until) {
		n.mu.Unlock()
		return known, nil
	}
	n.until = now.Add(fresh)
	n.mu.Unlock()
	found, err := n.lookup(ctx, n.host)
	if err != nil {
		if len(known) > 0 {
			return known, nil
		}
		return nil, err
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	n.known = found
	return n.orderedLocked(), nil
}

func (n *names) orderedLocked() []string {
	i := slices.Index(n.known, n.first)
	if i <= 0 {
		return n.known
	}
	return append(slices.Clone(n.known[i:]), n.known[:i]...)
}
