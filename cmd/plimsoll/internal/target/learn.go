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
		if slices.Contains(asked, g.service) {
			continue
		}
		asked = append(asked, g.service)
		if !slices.Contains(names, g.service) {
			faults = append(faults, fmt.Errorf("class %s: %w", g.class.Name, unknown("service", g.service, names)))
		} else if err := q.service(g.service); err != nil {
			faults = append(faults, fmt.Errorf("what %s is: %w", g.service, err))
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
	f, err := find(files, g.service, g.name)
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
