package proxy

import (
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/plimsoll-go/plimsoll/cmd/plimsoll/internal/config"
	"github.com/plimsoll-go/plimsoll/cmd/plimsoll/internal/telemetry"
)

// reloads is what has become of the attempts to load another configuration.
type reloads struct {
	mu    sync.Mutex // one attempt at a time; files are read within it, which may take any time
	force sync.Mutex // putting one in force, and what may not happen meanwhile; never for long
	state sync.Mutex // guards what follows
	last  telemetry.Reload
}

// errDraining is what a reload is answered with once the proxy ends.
var errDraining = errors.New("the proxy is draining; it takes no new configuration")

// Reload loads the configuration again and puts it in force as a whole, or
// leaves everything as it is. The error has every fault.
func (p *Proxy) Reload() error {
	if p.load == nil {
		return errors.New("there is no configuration to load again")
	}
	p.reloads.mu.Lock()
	defer p.reloads.mu.Unlock()
	c, err := p.load()
	if err == nil {
		err = p.apply(c)
	}
	if err != nil {
		p.reloads.failed(err)
		p.log.Error("reload failed; the configuration in force stays", "err", err.Error())
		return err
	}
	p.log.Info("reloaded", "routes", len(c.Routes), "upstreams", len(c.Upstreams), "gates", len(c.Gates))
	return nil
}

// apply makes a table of a configuration and swaps it in.
func (p *Proxy) apply(c config.Config) error {
	if p.ending.Load() {
		return errDraining
	}
	next, err := p.prepare(c)
	if err != nil {
		return err
	}
	if err := p.commit(next); err != nil {
		return err
	}
	waits := unchangeable(&p.started, &c)
	for _, what := range p.reloads.succeeded(waits) {
		p.log.Warn("not in force before a restart", "what", what)
	}
	return nil
}

// commit puts in force what has been prepared, unless the proxy has begun to
// end meanwhile.
func (p *Proxy) commit(next *next) error {
	p.reloads.force.Lock()
	defer p.reloads.force.Unlock()
	if p.ending.Load() {
		next.discard()
		return errDraining
	}
	return next.commit()
}

// succeeded notes that a configuration is in force, and what of it is not. It
// returns what of that is new.
func (r *reloads) succeeded(restart []string) (news []string) {
	r.state.Lock()
	defer r.state.Unlock()
	for _, what := range restart {
		if !slices.Contains(r.last.Restart, what) {
			news = append(news, what)
		}
	}
	r.last.At, r.last.Fault, r.last.Restart = time.Now(), "", restart
	r.last.Good++
	return news
}

// failed notes that a configuration is not in force.
func (r *reloads) failed(err error) {
	r.state.Lock()
	defer r.state.Unlock()
	r.last.Fault, r.last.FaultAt = err.Error(), time.Now()
	r.last.Bad++
}

func (r *reloads) view() telemetry.Reload {
	r.state.Lock()
	defer r.state.Unlock()
	return r.last
}

// unchangeable says what differs between the configuration that a proxy began
// with and another, and is not put in force while it runs: its ports, its name,
// and where it exports to.
func unchangeable(was, is *config.Config) (out []string) {
	if was.Name != is.Name {
		out = append(out, fmt.Sprintf("name: %s", is.Name))
	}
	if was.Admin != is.Admin {
		out = append(out, fmt.Sprintf("admin: %s", is.Admin))
	}
	if was.Telemetry.OTLP != is.Telemetry.OTLP {
		out = append(out, "telemetry.otlp")
	}
	for i, l := range is.Listeners {
		if i >= len(was.Listeners) || !sameListener(was.Listeners[i], l) {
			out = append(out, fmt.Sprintf("listeners[%d]: %s", i, l.Address))
		}
	}
	for i := len(is.Listeners); i < len(was.Listeners); i++ {
		out = append(out, fmt.Sprintf("listeners[%d]: %s is closed", i, was.Listeners[i].Address))
	}
	return out
}

// sameListener reports whether two listeners differ in the files of their
// certificates at most.
func sameListener(was, is config.Listener) bool {
	if was.TLS.On() && is.TLS.On() {
		is.TLS = was.TLS
	}
	return was == is
}
