package grpcgate

import (
	"context"
	"slices"
	"sync"

	"google.golang.org/grpc"

	"github.com/plimsoll-go/plimsoll"
	"github.com/plimsoll-go/plimsoll/class"
)

// Server puts gates in front of the methods of a gRPC server. Make one with
// [NewServer], and the gRPC server with its [Server.Options]. One may serve
// several gRPC servers.
type Server struct {
	config  ServerConfig
	routes  methods[*route] // nil: exempt
	load    *Load
	answers answers
	works   sync.Pool // of *plimsoll.Work, lent to Classify
}

// route is what belongs to the methods of a rule.
type route struct {
	gate              *plimsoll.Gate
	criticality       class.Criticality
	hold              Hold
	read, readTrusted *reader
}

// NewServer returns a Server with gate g. It panics if g is nil or the configuration is
// not valid, as [ServerConfig.Validate] says.
func NewServer(g *plimsoll.Gate, c ServerConfig) *Server {
	if g == nil {
		panic("grpcgate: NewServer needs a gate")
	}
	if err := c.Validate(); err != nil {
		panic(err.Error())
	}
	s := &Server{
		config:  c,
		routes:  newMethods(newRoute(g, c, Rule{})),
		load:    c.Load,
		answers: answers{longest: c.maxPushback()},
		works:   sync.Pool{New: func() any { return new(plimsoll.Work) }},
	}
	gates := []*plimsoll.Gate{g}
	for _, rule := range c.Rules {
		r := newRoute(g, c, rule)
		for _, pattern := range rule.Methods {
			s.routes.add(pattern, r) // Validate has seen that it is there once
		}
		if !slices.Contains(gates, r.gate) {
			gates = append(gates, r.gate)
		}
	}
	for _, pattern := range c.exempt() {
		s.routes.add(pattern, nil)
	}
	if s.load == nil {
		s.load = NewLoad(gates...)
	}
	return s
}

func newRoute(g *plimsoll.Gate, c ServerConfig, rule Rule) *route {
	w := c.Wire
	if rule.Wire != nil {
		w = *rule.Wire
	}
	r := &route{gate: g, criticality: rule.Criticality, hold: rule.Hold, read: newReader(w)}
	if rule.Gate != nil {
		r.gate = rule.Gate
	}
	w.Trusted = true
	r.readTrusted = newReader(w)
	return r
}

// Options are those that make a gRPC server this one's. The interceptors are
// outermost, wherever these options stand among others that chain theirs: so a
// call is admitted before it is authenticated. A server that has
// [grpc.UnaryInterceptor] or [grpc.StreamInterceptor] elsewhere panics when it
// is made.
func (s *Server) Options() []grpc.ServerOption {
	return []grpc.ServerOption{grpc.UnaryInterceptor(s.Unary), grpc.StreamInterceptor(s.Stream)}
}

// Load reports the load of this server's gates.
func (s *Server) Load() *Load { return s.load }

// Unary is the interceptor of unary calls: grpc.UnaryServerInterceptor. grpc-go
// calls it when the request has been read, so that a slow sender has no slot.
func (s *Server) Unary(ctx context.Context, req any, info *grpc.UnaryServerInfo, handler grpc.UnaryHandler) (any, error) {
	r := s.routes.find(info.FullMethod)
	if r == nil {
		return handler(ctx, req)
	}
	c := call{server: s, route: r, method: info.FullMethod, ctx: ctx}
	c.arrival = s.arrival(ctx, r, info.FullMethod)
	var refused error
	if c.ticket, refused = r.gate.Acquire(ctx, c.arrival.work); refused != nil {
		return nil, c.refuse(refused)
	}
	inner, end := c.arrival.context(ctx)
	c.ctx = inner
	defer func() {
		c.panicked()
		end()
	}()
	resp, err := handler(inner, req)
	if err = c.end(err); err != nil {
		return nil, err
	}
	return resp, nil
}

// Stream is the interceptor of calls of which a side streams:
// grpc.StreamServerInterceptor.
func (s *Server) Stream(srv any, ss grpc.ServerStream, info *grpc.StreamServerInfo, handler grpc.StreamHandler) error {
	r := s.routes.find(info.FullMethod)
	if r == nil {
		return handler(srv, ss)
	}
	ctx := ss.Context()
	c := call{server: s, route: r, method: info.FullMethod, ctx: ctx, stream: ss}
	c.arrival = s.arrival(ctx, r, info.FullMethod)
	leaves := leavesWhen(r.hold, info)
	c.arrival.work.Stream = c.arrival.work.Stream || leaves != never
	var refused error
	if c.ticket, refused = r.gate.Acquire(ctx, c.arrival.work); refused != nil {
		return c.refuse(refused)
	}
	inner, end := c.arrival.context(ctx)
	c.ctx = inner
	w := &serverStream{ServerStream: ss, ctx: inner, ticket: c.ticket, leaves: leaves}
	defer func() {
		w.finish(&c)
		c.panicked()
		end()
	}()
	err := handler(srv, w)
	w.finish(&c)
	return c.end(err)
}
