package grpcgate

import (
	"sync"
	"testing"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protodesc"
	"google.golang.org/protobuf/reflect/protoregistry"
	"google.golang.org/protobuf/types/descriptorpb"
)

// declared returns methods that a .proto has: one without side effects, one
// idempotent, one of which nothing is said; and one that none has.
func declared(t *testing.T) []string {
	t.Helper()
	if err := register(); err != nil {
		t.Fatal(err)
	}
	return []string{"/plimsoll.test.Store/Get", "/plimsoll.test.Store/Put", "/plimsoll.test.Store/Add", "/plimsoll.test.Store/Nothing"}
}

var register = sync.OnceValue(func() error {
	method := func(name string, level descriptorpb.MethodOptions_IdempotencyLevel) *descriptorpb.MethodDescriptorProto {
		m := &descriptorpb.MethodDescriptorProto{Name: &name, InputType: proto.String(".plimsoll.test.Thing"), OutputType: proto.String(".plimsoll.test.Thing")}
		if level != descriptorpb.MethodOptions_IDEMPOTENCY_UNKNOWN {
			m.Options = &descriptorpb.MethodOptions{IdempotencyLevel: &level}
		}
		return m
	}
	f, err := protodesc.NewFile(&descriptorpb.FileDescriptorProto{
		Name: proto.String("plimsoll/test/store.proto"), Package: proto.String("plimsoll.test"), Syntax: proto.String("proto3"),
		MessageType: []*descriptorpb.DescriptorProto{{Name: proto.String("Thing")}},
		Service: []*descriptorpb.ServiceDescriptorProto{{Name: proto.String("Store"), Method: []*descriptorpb.MethodDescriptorProto{
			method("Get", descriptorpb.MethodOptions_NO_SIDE_EFFECTS),
			method("Put", descriptorpb.MethodOptions_IDEMPOTENT),
			method("Add", descriptorpb.MethodOptions_IDEMPOTENCY_UNKNOWN),
		}}},
	}, nil)
	if err != nil {
		return err
	}
	return protoregistry.GlobalFiles.RegisterFile(f)
})
