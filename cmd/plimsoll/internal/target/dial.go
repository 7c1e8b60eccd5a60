package target

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"net/url"
	"time"

	"github.com/plimsoll-go/plimsoll/cmd/plimsoll/internal/mix"
	"github.com/plimsoll-go/plimsoll/cmd/plimsoll/internal/openloop"
)

// Options say how a target is reached. The zero value is right for most.
type Options struct {
	// CA is a file with certificates in PEM that are trusted instead of the
	// system's. "": those of the system.
	CA string
	// Insecure accepts any certificate.
	Insecure bool
	// TenantHeader and LevelHeader name the headers that a request's tenant
	// and level are sent in, as the service reads them. "": X-Tenant and
	// X-Request-Level.
	TenantHeader, LevelHeader string
}

// Dial makes the target that is at base for requests of these classes: the Index
// of a request is that of its class here. It makes no connection yet. The scheme
// of base is http or https. Its error has every fault at once.
func Dial(base *url.URL, classes []*mix.Class, o Options) (Target, error) {
	var faults []error
	secure, err := trust(base, o)
	if err != nil {
		faults = append(faults, err)
	}
	s := &service{base: base, secure: secure, options: o}
	if err := s.check(); err != nil {
		faults = append(faults, err)
	}
	for _, c := range classes {
		for _, err := range s.add(c) {
			faults = append(faults, fmt.Errorf("class %s: %w", c.Name, err))
		}
	}
	if len(faults) > 0 {
		return nil, errors.Join(faults...)
	}
	return s, nil
}

// service is the target: each class over its protocol.
type service struct {
	base    *url.URL
	secure  *tls.Config // nil: no TLS
	options Options
	classes []sender // by index
	pool    *pool    // nil: no class is over HTTP/1.1
	streams *streams // nil: no class is over HTTP/2
}

// sender makes attempts for the requests of one class.
type sender interface {
	try(ctx context.Context, r *mix.Request, attempt int, left time.Duration) Answer
}

func (s *service) check() error {
	switch {
	case s.base.Scheme != "http" && s.base.Scheme != "https":
		return fmt.Errorf("%s: want http://host:port or https://host:port", s.base.Redacted())
	case s.base.Hostname() == "":
		return fmt.Errorf("%s: want a host, as in http://127.0.0.1:8080", s.base.Redacted())
	}
	return nil
}

// add prepares what the requests of a class have in common.
func (s *service) add(c *mix.Class) (faults []error) {
	var to sender
	switch c.Protocol {
	case mix.HTTP1:
		if s.pool == nil {
			s.pool = newPool(address(s.base), s.secure)
		}
		to, faults = newHTTP1(s.pool, s.base, c, s.options)
	case mix.HTTP2:
		if s.streams == nil {
			s.streams = newStreams(s.secure)
		}
		to, faults = newHTTP2(s.streams, s.base, c, s.options)
	default:
		faults = append(faults, fmt.Errorf("protocol %d is none that can be sent over", c.Protocol))
	}
	s.classes = append(s.classes, to)
	return faults
}

// Try makes an attempt of a request over its class's protocol.
func (s *service) Try(ctx context.Context, r *mix.Request, attempt int, left time.Duration) Answer {
	if left <= 0 {
		return Answer{Outcome: openloop.Late, Unsent: true}
	}
	return s.classes[r.Index].try(ctx, r, attempt, left)
}

// Close ends all connections.
func (s *service) Close() error {
	var errs []error
	if s.pool != nil {
		errs = append(errs, s.pool.close())
	}
	if s.streams != nil {
		errs = append(errs, s.streams.close())
	}
	return errors.Join(errs...)
}

// address is where the connections to a URL go.
func address(u *url.URL) string {
	port := u.Port()
	if port == "" {
		port = map[bool]string{false: "80", true: "443"}[u.Scheme == "https"]
	}
	return net.JoinHostPort(u.Hostname(), port)
}
