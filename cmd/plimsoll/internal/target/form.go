package target

import (
	"fmt"
	"slices"
	"strings"

	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protodesc"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/reflect/protoregistry"
	"google.golang.org/protobuf/types/descriptorpb"
	"google.golang.org/protobuf/types/dynamicpb"

	"github.com/plimsoll-go/plimsoll/cmd/plimsoll/internal/strict"
)

// form is what a method is called with.
type form struct {
	message protoreflect.MessageDescriptor
	types   *dynamicpb.Types
}

// encode makes of a message in JSON one as it is on the wire. Nothing is the
// empty message.
func (f *form) encode(body []byte) ([]byte, error) {
	m := dynamicpb.NewMessage(f.message)
	if len(body) > 0 {
		if err := (protojson.UnmarshalOptions{Resolver: f.types}).Unmarshal(body, m); err != nil {
			return nil, fmt.Errorf("the body is no %s in JSON: %w", f.message.FullName(), err)
		}
	}
	return proto.Marshal(m)
}

// splitMethod reads package.Service/Method.
func splitMethod(s string) (service, method string, err error) {
	service, method, ok := strings.Cut(strings.TrimPrefix(s, "/"), "/")
	if !ok || !protoreflect.FullName(service).IsValid() || !protoreflect.Name(method).IsValid() {
		return "", "", fmt.Errorf("method %q: want one such as package.Service/Method", s)
	}
	return service, method, nil
}

// find returns what a method of a service that the files have is called with.
func find(files *protoregistry.Files, service, method string) (*form, error) {
	d, err := files.FindDescriptorByName(protoreflect.FullName(service))
	s, ok := d.(protoreflect.ServiceDescriptor)
	if err != nil || !ok {
		return nil, unknown("service", service, services(files))
	}
	m := s.Methods().ByName(protoreflect.Name(method))
	switch {
	case m == nil:
		var names []string
		for i := range s.Methods().Len() {
			names = append(names, string(s.Methods().Get(i).Name()))
		}
		return nil, unknown("method of "+service, method, names)
	case m.IsStreamingClient() || m.IsStreamingServer():
		return nil, fmt.Errorf("%s/%s is a stream: want a unary method", service, method)
	}
	return &form{message: m.Input(), types: dynamicpb.NewTypes(files)}, nil
}

// services are the names of all services in files.
func services(files *protoregistry.Files) (names []string) {
	files.RangeFiles(func(f protoreflect.FileDescriptor) bool {
		for i := range f.Services().Len() {
			names = append(names, string(f.Services().Get(i).FullName()))
		}
		return true
	})
	slices.Sort(names)
	return names
}

// unknown is the fault of a name that is not among those that are known.
func unknown(what, name string, known []string) error {
	const most = 10
	switch near := strict.Nearest(name, known); {
	case near != "":
		return fmt.Errorf("there is no %s named %s; did you mean %s?", what, name, near)
	case len(known) == 0:
		return fmt.Errorf("there is no %s named %s, nor any other", what, name)
	case len(known) > most:
		return fmt.Errorf("there is no %s named %s; there are %s and %d others", what, name, strings.Join(known[:most], ", "), len(known)-most)
	}
	return fmt.Errorf("there is no %s named %s; there is %s", what, name, strings.Join(known, ", "))
}

// mostDescriptors bounds a file of descriptors, in bytes.
const mostDescriptors = 64 << 20

// readDescriptors reads a file with a FileDescriptorSet.
func readDescriptors(path string) (*protoregistry.Files, error) {
	const flag = "--descriptors"
	data, err := strict.ContentsUpTo(path, mostDescriptors)
	if err != nil {
		return nil, wrong(flag, "a file that can be read, have %s: %v", path, err)
	}
	set := new(descriptorpb.FileDescriptorSet)
	if err := proto.Unmarshal(data, set); err != nil {
		return nil, wrong(flag, "a descriptor set, as protoc --descriptor_set_out=FILE --include_imports makes it, have %s: %v", path, err)
	}
	files, err := link(set)
	if err != nil {
		return nil, wrong(flag, "a descriptor set with what others import in it, as protoc --include_imports makes it, have %s: %v", path, err)
	}
	return files, nil
}

// link makes one whole of the files of a set. Those of protobuf itself need not
// be among them.
func link(set *descriptorpb.FileDescriptorSet) (*protoregistry.Files, error) {
	have := map[string]bool{}
	for _, f := range set.File {
		have[f.GetName()] = true
	}
	for i := 0; i < len(set.File); i++ { // it grows
		for _, name := range set.File[i].GetDependency() {
			if have[name] {
				continue
			}
			if known, err := protoregistry.GlobalFiles.FindFileByPath(name); err == nil {
				have[name] = true
				set.File = append(set.File, protodesc.ToFileDescriptorProto(known))
			}
		}
	}
	return protodesc.NewFiles(set)
}
