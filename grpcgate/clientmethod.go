package grpcgate

import (
	"strings"
	"sync"

	"google.golang.org/grpc"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/reflect/protoregistry"
	"google.golang.org/protobuf/types/descriptorpb"

	"github.com/plimsoll-go/plimsoll/client"
)

type idempotent struct{ grpc.EmptyCallOption }

// Idempotent says of one call that to make it twice does no harm.
func Idempotent() grpc.CallOption { return idempotent{} }

// clientMethods finds what is known of a method. It may be used concurrently.
type clientMethods struct {
	rules    methods[*client.Op]
	declared sync.Map // by method: whether its .proto says that it may be called twice. Only of what is compiled in, which has an end.
}

// op is what is known of a call.
func (m *clientMethods) op(method string, opts []grpc.CallOption) client.Op {
	op := m.of(method)
	for _, o := range opts {
		if _, ok := o.(idempotent); ok {
			op.Repeatable = true
		}
	}
	return op
}

func (m *clientMethods) of(method string) client.Op {
	if op := m.rules.find(method); op != nil {
		return *op
	}
	if v, ok := m.declared.Load(method); ok {
		return client.Op{Repeatable: v.(bool)}
	}
	d := descriptor(method)
	if d == nil {
		return client.Op{}
	}
	v, _ := m.declared.LoadOrStore(method, repeatable(d))
	return client.Op{Repeatable: v.(bool)}
}

// descriptor finds a method of a .proto that is compiled in; nil: it is not.
func descriptor(method string) protoreflect.MethodDescriptor {
	name := protoreflect.FullName(strings.ReplaceAll(strings.TrimPrefix(method, "/"), "/", "."))
	d, err := protoregistry.GlobalFiles.FindDescriptorByName(name)
	if err != nil {
		return nil
	}
	of, _ := d.(protoreflect.MethodDescriptor)
	return of
}

// repeatable reports whether a .proto says that a method may be called twice.
func repeatable(d protoreflect.MethodDescriptor) bool {
	o, _ := d.Options().(*descriptorpb.MethodOptions)
	return o.GetIdempotencyLevel() != descriptorpb.MethodOptions_IDEMPOTENCY_UNKNOWN
}
