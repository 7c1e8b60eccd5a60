package target

import (
	"context"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/metadata"

	"github.com/plimsoll-go/plimsoll/class"
	"github.com/plimsoll-go/plimsoll/class/wire"
	"github.com/plimsoll-go/plimsoll/cmd/plimsoll/internal/mix"
	"github.com/plimsoll-go/plimsoll/cmd/plimsoll/internal/openloop"
)

// grpcClass sends the requests of one class as unary calls. What they are called
// with is known once the service, or a file, has been asked: see learn.
type grpcClass struct {
	via     *channels
	class   *mix.Class
	options []grpc.CallOption
	static  [class.Count + 1]metadata.MD // by criticality; never changed
	tenant  string
	level   string
	service string               // package.Service
	name    string               // of its method
	method  string               // /package.Service/Method
	form    atomic.Pointer[form] // of what it is called with; nil: it is not known yet
	ready   []byte               // the message of the class's body, where that is always the same
}

func newGRPC(via *channels, c *mix.Class, o Options) (*grpcClass, []error) {
	g := &grpcClass{via: via, class: c}
	says, faults := newClaims(c, o)
	g.tenant, g.level = strings.ToLower(says.tenant), strings.ToLower(says.level)
	faults = append(faults, checkMetadata(c.Header, says.tenant, says.level)...)
	var err error
	if g.service, g.name, err = splitMethod(c.Method); err != nil {
		faults = append(faults, err)
	}
	g.method = "/" + g.service + "/" + g.name
	if says.host != "" {
		g.options = append(g.options, grpc.CallAuthority(says.host))
	}
	for i, header := range says.static {
		md := metadata.MD{}
		for name, values := range header {
			if name != "User-Agent" { // the connection says it
				md[strings.ToLower(name)] = values
			}
		}
		g.static[i] = md
	}
	return g, faults
}

func (g *grpcClass) try(ctx context.Context, r *mix.Request, attempt int, left time.Duration) Answer {
	deadline := time.Now().Add(left)
	message, ok := g.message(r)
	if !ok || !sayable(g.tenant, r.Tenant) {
		return unsayable
	}
	c, err := g.via.take()
	if err != nil {
		return failed(ctx, deadline, err)
	}
	defer g.via.give(c)
	within, cancel := context.WithDeadline(ctx, deadline)
	defer cancel()
	var way call
	within = metadata.NewOutgoingContext(context.WithValue(within, callKey{}, &way), g.metadata(r, attempt))
	var trailer metadata.MD
	err = once(within, c.ClientConn, g.method, message, append(g.options[:len(g.options):len(g.options)], grpc.Trailer(&trailer))...)
	switch {
	case ctx.Err() == nil && (within.Err() != nil || time.Now().After(deadline)):
		return Answer{Outcome: openloop.Late, Unsent: !way.sent.Load()}
	case err == nil:
		return Answer{Outcome: openloop.Good}
	case ctx.Err() != nil:
		return Answer{Outcome: openloop.Failed, Reason: failedInterrupted, Unsent: !way.sent.Load()}
	case !way.answered.Load():
		return broken(err, way.sent.Load())
	}
	return judgeStatus(err, trailer)
}

// metadata are the headers of an attempt. The time that is left is the matter of
// gRPC, which takes it from the context.
func (g *grpcClass) metadata(r *mix.Request, attempt int) metadata.MD {
	static := g.static[lane(r.Criticality)]
	md := make(metadata.MD, len(static)+3)
	for name, values := range static {
		md[name] = values
	}
	md[strings.ToLower(wire.AttemptHeader)] = []string{strconv.Itoa(min(attempt, wire.MaxAttempt))}
	if r.Tenant != "" {
		md[g.tenant] = []string{r.Tenant}
	}
	if r.Level > 0 {
		md[g.level] = []string{strconv.Itoa(int(r.Level))}
	}
	return md
}

// message is what a request is called with, in the wire's form. False: its body
// is none, or what it should be is not known.
func (g *grpcClass) message(r *mix.Request) ([]byte, bool) {
	f := g.form.Load()
	if f == nil {
		return nil, false
	}
	if b := g.class.Body; b == nil || b.Template == nil {
		return g.ready, true
	}
	m, err := f.encode(r.Body)
	return m, err == nil
}
