package target

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"google.golang.org/protobuf/reflect/protoregistry"
)

// learn asks a service what its methods are called with, and makes ready what
// can be: the requests of gRPC classes can be sent then. Its error has every
// fault at once.
func learn(ctx context.Context, via *channels, classes []*grpcClass) error {
	c, err := via.take()
	if err != nil {
		return err
	}
	defer via.give(c)
	ctx, cancel := context.WithCancel(ctx) // ends the inquiry
	defer cancel()
	q, names, err := inquire(ctx, c.ClientConn)
	if err != nil {
		return err
	}
	var faults []error
	var asked []string
	for _, g := range classes {
		service := g.service()
		if slices.Contains(asked, service) {
			continue
		}
		asked = append(asked, service)
		if !slices.Contains(names, service) {
			faults = append(faults, fmt.Errorf("class %s: %w", g.class.Name, unknown("service", service, names)))
		} else if err := q.service(service); err != nil {
			faults = append(faults, fmt.Errorf("what %s is: %w", service, err))
		}
	}
	if len(faults) > 0 {
		return errors.Join(faults...)
	}
	files, err := q.linked()
	if err != nil {
		return err
	}
	for _, g := range classes {
		if err := g.learn(files); err != nil {
			faults = append(faults, fmt.Errorf("class %s: %w", g.class.Name, err))
		}
	}
	return errors.Join(faults...)
}

// learn finds what a class's method is called with in files.
func (g *grpcClass) learn(files *protoregistry.Files) error {
	service, method, err := splitMethod(g.class.Method)
	if err != nil {
		return err
	}
	f, err := find(files, service, method)
	if err != nil {
		return err
	}
	if b := g.class.Body; b == nil || b.Template == nil {
		var body []byte
		if b != nil {
			body = b.Bytes
		}
		if g.ready, err = f.encode(body); err != nil {
			return err
		}
	}
	g.form.Store(f)
	return nil
}

// service is the name of the service that a class calls.
func (g *grpcClass) service() string {
	service, _, _ := splitMethod(g.class.Method)
	return service
}
