package grpcgate

import (
	"context"
	"net/textproto"
	"strings"
	"sync"
	"time"

	"google.golang.org/grpc/metadata"

	"github.com/plimsoll-go/plimsoll/class/wire"
)

// incoming is the metadata of the call that a context belongs to. It must not
// be changed.
//
// Package metadata has it copied, which costs more than the gate. So the key
// under which contexts have it is taken from package metadata once, by
// asking it for what a context of ours has; should it keep something else there
// one day, its copy will do.
func incoming(ctx context.Context) metadata.MD {
	if md, ok := ctx.Value(incomingKey).(metadata.MD); ok {
		return md
	}
	md, _ := metadata.FromIncomingContext(ctx)
	return md
}

var incomingKey = func() any {
	asked := &askedContext{Context: context.Background()}
	metadata.FromIncomingContext(asked)
	return asked.key
}()

// askedContext notes the key that it is asked for.
type askedContext struct {
	context.Context
	key any
}

func (c *askedContext) Value(key any) any {
	c.key = key
	return nil
}

// contentType is how package wire knows a request of gRPC.
const contentType = "Content-Type"

// readKeys are the keys of metadata that package wire reads, besides the one
// that a configuration names for the remaining time. The content type is not
// among them: all that comes here is gRPC. Nor is grpc-timeout, which grpc-go
// makes the deadline of the context.
var readKeys = []string{
	"x-request-criticality", "baggage", "criticality", "plimsoll-signature", "sec-purpose", "priority",
	"x-envoy-expected-rq-timeout-ms", "x-request-attempt", "grpc-previous-rpc-attempts",
}

// reader reads metadata by a [wire.Config]. It may be used concurrently.
type reader struct {
	config wire.Config
	keys   []readKey
	bare   map[string][]string // of a call that says nothing; not to be changed
	lent   sync.Pool           // of map[string][]string
}

// readKey is a key in metadata and in the headers of net/http, which is how
// package wire spells it.
type readKey struct{ metadata, header string }

func newReader(c wire.Config) *reader {
	r := &reader{config: c, bare: bareHeader()}
	r.lent.New = func() any { return bareHeader() }
	timeout := c.TimeoutHeader
	if timeout == "" {
		timeout = wire.TimeoutHeader
	}
	for _, k := range append([]string{timeout}, readKeys...) {
		r.keys = append(r.keys, readKey{metadata: strings.ToLower(k), header: textproto.CanonicalMIMEHeaderKey(k)})
	}
	return r
}

func bareHeader() map[string][]string {
	return map[string][]string{contentType: {"application/grpc"}}
}

// read returns what the caller says, where left is what is left of its
// deadline; [class.Forever]: it has none. It keeps nothing of md.
func (r *reader) read(md metadata.MD, left time.Duration) wire.Incoming {
	h, own := r.bare, false
	for _, k := range r.keys {
		v := md[k.metadata]
		if len(v) == 0 {
			continue
		}
		if !own {
			h, own = r.lent.Get().(map[string][]string), true
		}
		h[k.header] = v
	}
	in := r.config.ReadLeft(h, left)
	if own {
		for _, k := range r.keys {
			delete(h, k.header)
		}
		r.lent.Put(h)
	}
	return in
}
