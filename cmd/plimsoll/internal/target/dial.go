package target

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"net/url"
	"strconv"
	"strings"
	"time"

	"google.golang.org/protobuf/reflect/protoregistry"

	"github.com/plimsoll-go/plimsoll/cmd/plimsoll/internal/mix"
	"github.com/plimsoll-go/plimsoll/cmd/plimsoll/internal/openloop"
	"github.com/plimsoll-go/plimsoll/cmd/plimsoll/internal/strict"
)

// Options say how a target is reached. The zero value is right for most.
type Options struct {
	// CA is a file with certificates in PEM that are trusted instead of the
	// system's. "": those of the system.
	CA string
	// Insecure accepts any certificate.
	Insecure bool
	// Descriptors is a file with the FileDescriptorSet of the methods of gRPC, as
	// protoc --descriptor_set_out --include_imports makes it. "": the service is
	// asked, by server reflection.
	Descriptors string
	// TenantHeader and LevelHeader name the headers that a request's tenant
	// and level are sent in, as the service reads them. "": X-Tenant and
	// X-Request-Level.
	TenantHeader, LevelHeader string
}

// wrong is a fault of one of the [Options], by the flag that says it.
func wrong(flag, format string, args ...any) error {
	return strict.Faults{{Key: flag, Want: "want " + fmt.Sprintf(format, args...)}}
}

// Dial makes the target that is at base for requests of these classes: the Index
// of a request is that of its class here. It makes no connection yet. The scheme
// of base is http or https, or grpc or grpcs, by which all classes are of gRPC, the
// one without and the other with TLS. Its error joins every fault, those of the
// options as [strict.Faults].
func Dial(base *url.URL, classes []*mix.Class, o Options) (Target, error) {
	s := &service{base: base, options: o, names: newNames(base)}
	faults := append(s.check(), o.headerFaults()...)
	var untrusted []error
	s.secure, untrusted = trust(base, o)
	faults = append(faults, untrusted...)
	if o.Descriptors != "" {
		var err error
		if s.files, err = readDescriptors(o.Descriptors); err != nil {
			faults = append(faults, err)
		}
	}
	for _, c := range classes {
		if base.Host == "" {
			break // where paths begin is not known
		}
		for _, err := range s.add(c) {
			faults = append(faults, fmt.Errorf("class %s: %w", c.Name, err))
		}
	}
	if o.Descriptors != "" && s.channels == nil && len(classes) > 0 && base.Host != "" {
		faults = append(faults, wrong("--descriptors", "none: no class is of gRPC"))
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
	names   *names
	classes []sender             // by index
	files   *protoregistry.Files // nil: the service is asked

	pool     *pool     // nil: no class is over HTTP/1.1
	streams  *streams  // nil: no class is over HTTP/2
	channels *channels // nil: no class is over gRPC
	calls    []*grpcClass
}

// sender makes attempts for the requests of one class.
type sender interface {
	try(ctx context.Context, r *mix.Request, attempt int, left time.Duration) Answer
}

// check says what is wrong with the URL, and with what is said beside it.
func (s *service) check() (faults []error) {
	switch s.base.Scheme {
	case "grpc", "grpcs":
		if s.base.Path != "" && s.base.Path != "/" || s.base.RawQuery != "" {
			faults = append(faults, fmt.Errorf("%s: want no path: methods of gRPC have none before them", s.base.Redacted()))
		}
	case "http", "https":
	default:
		faults = append(faults, fmt.Errorf("%s: want http://host:port, or https, grpc or grpcs", s.base.Redacted()))
	}
	if strings.ContainsFunc(s.base.RawQuery, func(c rune) bool { return c <= ' ' || c == 0x7f }) {
		faults = append(faults, fmt.Errorf("%s: want spaces and the like in the query encoded, as in %%20", s.base.Redacted()))
	}
	if s.base.User != nil {
		faults = append(faults, fmt.Errorf("%s: want no user in it; a header says who asks: --header 'Authorization: Basic ...'", s.base.Redacted()))
	}
	if port := s.base.Port(); port != "" {
		if n, err := strconv.ParseUint(port, 10, 16); err != nil || n == 0 {
			faults = append(faults, fmt.Errorf("%s: want a port from 1 to 65535, have %s", s.base.Redacted(), port))
		}
	}
	if s.base.Hostname() == "" {
		faults = append(faults, fmt.Errorf("%s: want a host, as in http://127.0.0.1:8080", s.base.Redacted()))
	}
	return faults
}

// add prepares what the requests of a class have in common.
func (s *service) add(c *mix.Class) (faults []error) {
	var to sender
	switch {
	case c.Protocol == mix.GRPC:
		to, faults = s.addGRPC(c)
	case s.base.Scheme == "grpc", s.base.Scheme == "grpcs":
		faults = append(faults, fmt.Errorf("protocol %s: want grpc, or a URL such as http://host:port", c.Protocol))
	case c.Protocol == mix.HTTP1:
		if s.pool == nil {
			s.pool = newPool(s.names, s.secure)
		}
		to, faults = newHTTP1(s.pool, s.base, c, s.options)
	case c.Protocol == mix.HTTP2:
		if s.streams == nil {
			s.streams = newStreams(s.names, s.secure)
		}
		to, faults = newHTTP2(s.streams, s.base, c, s.options)
	default:
		faults = append(faults, fmt.Errorf("protocol %s is none that can be sent over", c.Protocol))
	}
	s.classes = append(s.classes, to)
	return faults
}

func (s *service) addGRPC(c *mix.Class) (sender, []error) {
	if s.channels == nil {
		s.channels = newChannels(s.names, s.secure)
	}
	g, faults := newGRPC(s.channels, c, s.options)
	s.calls = append(s.calls, g)
	if s.files != nil && len(faults) == 0 {
		if err := g.learn(s.files); err != nil {
			faults = append(faults, err)
		}
	}
	return g, faults
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
	if s.channels != nil {
		errs = append(errs, s.channels.close())
	}
	return errors.Join(errs...)
}

// address is where the connections to a URL go.
func address(u *url.URL) string {
	port := u.Port()
	if port == "" {
		port = "80"
		if isSecure(u) {
			port = "443"
		}
	}
	return net.JoinHostPort(u.Hostname(), port)
}
