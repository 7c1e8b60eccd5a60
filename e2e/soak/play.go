package main

import (
	"context"
	"fmt"
	"path/filepath"
	"sync"
	"time"

	"google.golang.org/grpc"

	"github.com/plimsoll-go/plimsoll/e2e/internal/backend"
	"github.com/plimsoll-go/plimsoll/e2e/internal/process"
)

// play is one soak: the services, the proxy before them, and what was sent.
type play struct {
	options options
	files   files
	web     []*endpoint
	rpc     *grpc.Server
	proxy   *process.Process
	traced  traced
	counts
}

// soak plays, and says what is left at the end.
func soak(ctx context.Context, o options, program, dir string) (*result, error) {
	p := &play{options: o}
	defer p.close()
	if err := p.open(program, filepath.Join(dir, "soak.yaml")); err != nil {
		return nil, err
	}
	base, err := p.look()
	if err != nil {
		return nil, err
	}
	var seen []sample
	began := time.Now()
	func() {
		ctx, stop := context.WithTimeout(ctx, o.length)
		defer stop()
		var beside sync.WaitGroup
		defer beside.Wait()
		for _, what := range []func(context.Context){p.load, p.stop, p.reload, p.restart} {
			beside.Go(func() { what(ctx) })
		}
		for range sockets {
			beside.Go(func() { p.socket(ctx) })
		}
		for range callers {
			beside.Go(func() { p.call(ctx) })
		}
		seen = p.watch(ctx)
	}()
	if err := ctx.Err(); err != nil {
		return nil, fmt.Errorf("interrupted after %s", time.Since(began).Round(time.Second))
	}
	lasted := time.Since(began)
	p.closeServices() // so that no connection to them is kept
	end := p.rest(base)
	if err := p.proxy.Stop(); err != nil {
		return nil, err
	}
	p.proxy = nil
	if p.traced, err = readTraces(dir); err != nil {
		return nil, err
	}
	return p.result(lasted, base, end, seen), nil
}

// open starts the services and the proxy.
func (p *play) open(program, path string) error {
	at, err := process.Ports(endpoints + 3)
	if err != nil {
		return err
	}
	p.files = files{path: path, listen: at[0], admin: at[1], rpc: at[2], web: at[3:]}
	for _, addr := range p.files.web {
		e := newEndpoint(addr)
		if err := e.up(); err != nil {
			return err
		}
		p.web = append(p.web, e)
	}
	if p.rpc, _, err = backend.ListenGRPC(p.files.rpc); err != nil {
		return err
	}
	if err := p.files.good(0); err != nil {
		return err
	}
	p.proxy, err = process.Start(program, p.files.listen, p.files.admin, "--config", path)
	return err
}

func (p *play) closeServices() {
	for _, e := range p.web {
		e.down()
	}
	p.web = nil
	if p.rpc != nil {
		p.rpc.Stop()
		p.rpc = nil
	}
}

// close ends what an error has left.
func (p *play) close() {
	if p.proxy != nil {
		p.proxy.Kill()
	}
	p.closeServices()
}
