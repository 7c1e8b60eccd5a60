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

// names has the addresses of a host. It asks for them once in a while, and not for
// every connection: a load can make thousands a second, and what is put under
// load is the service and not the resolver. All connections go to one address,
// until that fails.
type names struct {
	host, port string
	lookup     func(ctx context.Context, host string) ([]string, error)

	mu    sync.Mutex
	known []string
	first string // of known, the one that is tried first
	until time.Time
}

func newNames(u *url.URL) *names {
	host, port, _ := net.SplitHostPort(address(u)) // which has made it so
	return &names{host: host, port: port, lookup: net.DefaultResolver.LookupHost}
}

// dial makes a connection that ends with a reset.
func (n *names) dial(ctx context.Context) (net.Conn, error) {
	known, err := n.addresses(ctx)
	if err != nil {
		return nil, err
	}
	var why error
	for i, a := range known {
		conn, err := openloop.Dial(ctx, net.JoinHostPort(a, n.port))
		if err == nil {
			n.prefer(a)
			return conn, nil
		}
		n.prefer(known[(i+1)%len(known)])
		if why == nil {
			why = err
		}
		if ctx.Err() != nil {
			break
		}
	}
	return nil, why
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
