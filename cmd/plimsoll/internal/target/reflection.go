package target

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/encoding"
	"google.golang.org/grpc/encoding/proto"
	"google.golang.org/grpc/status"

	reflection "google.golang.org/grpc/reflection/grpc_reflection_v1"
	pb "google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoregistry"
	"google.golang.org/protobuf/types/descriptorpb"
)

// maxFiles is how many files a service may say that it is described by.
const maxFiles = 10_000

// errNoReflection is the fault of a service that does not describe itself.
var errNoReflection = errors.New("it does not describe itself (gRPC server reflection): turn that on, or give a descriptor set with --descriptors FILE")

// inquiry asks a service what it has, one question after the other.
type inquiry struct {
	stream grpc.ClientStream
	files  map[string]*descriptorpb.FileDescriptorProto
}

// inquire begins to ask over a connection, by version 1 of the protocol, or the
// one before, the messages of which are the same.
func inquire(ctx context.Context, conn *grpc.ClientConn) (*inquiry, []string, error) {
	for _, version := range []string{"v1", "v1alpha"} {
		stream, err := conn.NewStream(ctx, &grpc.StreamDesc{ClientStreams: true, ServerStreams: true},
			"/grpc.reflection."+version+".ServerReflection/ServerReflectionInfo", grpc.ForceCodecV2(encoding.GetCodecV2(proto.Name)))
		if err != nil {
			return nil, nil, err
		}
		q := &inquiry{stream: stream, files: map[string]*descriptorpb.FileDescriptorProto{}}
		answer, err := q.ask(&reflection.ServerReflectionRequest{MessageRequest: &reflection.ServerReflectionRequest_ListServices{}})
		if status.Code(err) == codes.Unimplemented {
			continue
		}
		var names []string
		for _, s := range answer.GetListServicesResponse().GetService() {
			names = append(names, s.GetName())
		}
		slices.Sort(names)
		return q, names, err
	}
	return nil, nil, errNoReflection
}

func (q *inquiry) ask(r *reflection.ServerReflectionRequest) (*reflection.ServerReflectionResponse, error) {
	// What a failed sending is due to, the receiving says.
	_ = q.stream.SendMsg(r)
	answer := new(reflection.ServerReflectionResponse)
	if err := q.stream.RecvMsg(answer); err != nil {
		return nil, err
	}
	if e := answer.GetErrorResponse(); e != nil {
		return nil, status.Error(codes.Code(e.GetErrorCode()), e.GetErrorMessage())
	}
	return answer, nil
}

// service asks for the file that has a service.
func (q *inquiry) service(name string) error {
	return q.take(q.ask(&reflection.ServerReflectionRequest{
		MessageRequest: &reflection.ServerReflectionRequest_FileContainingSymbol{FileContainingSymbol: name}}))
}

// take keeps the files of an answer.
func (q *inquiry) take(answer *reflection.ServerReflectionResponse, err error) error {
	if err != nil {
		return err
	}
	for _, data := range answer.GetFileDescriptorResponse().GetFileDescriptorProto() {
		f := new(descriptorpb.FileDescriptorProto)
		if err := pb.Unmarshal(data, f); err != nil {
			return err
		}
		if q.files[f.GetName()] = f; len(q.files) > maxFiles {
			return fmt.Errorf("more than %d files", maxFiles)
		}
	}
	return nil
}

// linked asks for whatever those import that are there, and makes a whole of
// them.
func (q *inquiry) linked() (*protoregistry.Files, error) {
	for missing := q.missing(); missing != ""; missing = q.missing() {
		err := q.take(q.ask(&reflection.ServerReflectionRequest{
			MessageRequest: &reflection.ServerReflectionRequest_FileByFilename{FileByFilename: missing}}))
		if err == nil && q.files[missing] == nil {
			err = errors.New("its answer has another file")
		}
		if err != nil {
			return nil, fmt.Errorf("%s, which another imports: %w", missing, err)
		}
	}
	set := new(descriptorpb.FileDescriptorSet)
	for _, f := range q.files {
		set.File = append(set.File, f)
	}
	return link(set)
}

// missing is a file that another imports and that is not known; "": none is.
func (q *inquiry) missing() string {
	for _, f := range q.files {
		for _, name := range f.GetDependency() {
			if _, err := protoregistry.GlobalFiles.FindFileByPath(name); err != nil && q.files[name] == nil {
				return name
			}
		}
	}
	return ""
}
