package target

import (
	"context"
	"crypto/tls"
	"errors"
	"net"
	"sync"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/backoff"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/credentials/insecure"
)

// The bounds of gRPC connections.
const (
	// callsEach is how many calls one connection carries. It is what HTTP/2
	// advises servers to allow at least (RFC 9113, section 6.5.2): a client
	// whose server allows fewer waits for its own calls to end, which no
	// schedule has asked for.
	callsEach = 100
	// maxMessage is how long an answer may be, which is read whole.
	maxMessage = 16 << 20
)

// channels has the connections of gRPC to one host. There are as many as it
// takes to have no call wait for another.
type channels struct {
	address string
	options []grpc.DialOption

	mu     sync.Mutex
	open   []*channel
	closed bool
}

// channel is a connection, once the first call has made it.
type channel struct {
	*grpc.ClientConn
	calls int
}

func newChannels(names *names, secure *tls.Config) *channels {
	creds := insecure.NewCredentials()
	if secure != nil {
		creds = credentials.NewTLS(secure)
	}
	return &channels{address: net.JoinHostPort(names.host, names.port), options: []grpc.DialOption{
		grpc.WithTransportCredentials(creds),
		grpc.WithContextDialer(func(ctx context.Context, _ string) (net.Conn, error) { return names.dial(ctx) }),
		grpc.WithUserAgent(userAgent),
		grpc.WithDisableRetry(),
		grpc.WithDisableServiceConfig(),
		grpc.WithDisableHealthCheck(),
		grpc.WithNoProxy(),
		grpc.WithMaxHeaderListSize(maxHeader),
		grpc.WithStatsHandler(watch{}),
		grpc.WithIdleTimeout(0),
		grpc.WithDefaultCallOptions(grpc.MaxCallRecvMsgSize(maxMessage), grpc.ForceCodecV2(bytesCodec{})),
		// A service that comes back is asked again at once, as one over HTTP is.
		grpc.WithConnectParams(grpc.ConnectParams{
			Backoff:           backoff.Config{BaseDelay: 10 * time.Millisecond, Multiplier: 1.6, Jitter: 0.2, MaxDelay: 100 * time.Millisecond},
			MinConnectTimeout: stalled,
		}),
	}}
}

// take returns a connection for one call. It is to be given back.
func (p *channels) take() (*channel, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
		return nil, &dialError{failedInterrupted, errClosed}
	}
	for _, c := range p.open {
		if c.calls < callsEach {
			c.calls++
			return c, nil
		}
	}
	conn, err := grpc.NewClient("passthrough:///"+p.address, p.options...)
	if err != nil {
		return nil, &dialError{failedDial, err}
	}
	c := &channel{ClientConn: conn, calls: 1}
	p.open = append(p.open, c)
	return c, nil
}

func (p *channels) give(c *channel) {
	p.mu.Lock()
	c.calls--
	p.mu.Unlock()
}

// close ends all connections, those that are in use too.
func (p *channels) close() error {
	p.mu.Lock()
	open := p.open
	p.open, p.closed = nil, true
	p.mu.Unlock()
	var errs []error
	for _, c := range open {
		errs = append(errs, c.Close())
	}
	return errors.Join(errs...)
}
