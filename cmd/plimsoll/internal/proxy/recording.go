package proxy

import (
	"context"
	"crypto/rand"
	"fmt"
	"slices"
	"sync/atomic"
	"time"

	"github.com/plimsoll-go/plimsoll/cmd/plimsoll/internal/capture"
	"github.com/plimsoll-go/plimsoll/cmd/plimsoll/internal/config"
	"github.com/plimsoll-go/plimsoll/cmd/plimsoll/internal/telemetry"
	"github.com/plimsoll-go/plimsoll/httpgate"
)

// recording is the trace that a proxy writes, over reloads, one of which is
// under way at a time.
type recording struct {
	counts  capture.Counts
	random  [32]byte // the key of tenants, as long as none is configured
	now     atomic.Pointer[recorded]
	serving bool // what is in force has been started

	// ended was in force last, and may still be written; nil: another waits for it.
	ended *capture.Capture
}

// recorded is a capture and what it was made of. It goes on under another
// configuration that says the same.
type recorded struct {
	*capture.Capture
	config config.Record
	key    []byte
}

// seed makes the key of tenants that nobody knows.
func (r *recording) seed() { _, _ = rand.Read(r.random[:]) } // never fails

// wanted is the capture that a configuration wants; nil: none.
func (r *recording) wanted(p *Proxy, c config.Record) (*recorded, error) {
	if !c.On() {
		return nil, nil
	}
	key := r.random[:]
	if c.TenantKey != "" {
		var err error
		if key, err = config.ReadKey(c.TenantKey); err != nil {
			return nil, fmt.Errorf("record: tenantKey: %s: %w", c.TenantKey, err)
		}
	}
	if is := r.now.Load(); is != nil && is.config == c && slices.Equal(is.key, key) {
		return is, nil
	}
	return &recorded{capture.New(capture.Config{
		File: c.File, MaxBytes: int64(c.MaxSize), Keep: c.Keep, Key: key, Counts: &r.counts, Log: p.log,
	}), c, key}, nil
}

// commit puts a capture in force, which begins when the last one before it has
// ended, even if none was in force in between.
func (r *recording) commit(is *recorded) {
	was := r.now.Swap(is)
	if was == is || !r.serving {
		return
	}
	if was != nil {
		was.End()
		r.ended = was.Capture
	}
	if is != nil {
		is.Start(r.ended)
		r.ended = nil
	}
}

// start starts what is in force: no earlier than the ports are bound, so that a
// second process that cannot have them leaves the file of the first alone.
func (r *recording) start() {
	r.serving = true
	if is := r.now.Load(); is != nil {
		is.Start(nil)
	}
}

// recordTimeout bounds the writing of the last records: no disk keeps a proxy
// from ending.
const recordTimeout = 5 * time.Second

// end has all written, once everything has been served: what is in force, or
// was last.
func (r *recording) end(p *Proxy) {
	p.reloads.force.Lock()
	defer p.reloads.force.Unlock()
	r.serving = false
	last := r.ended
	if is := r.now.Load(); is != nil {
		is.End()
		last = is.Capture // which waits for the one before it
	}
	if last == nil {
		return
	}
	ctx, stop := context.WithTimeout(context.Background(), recordTimeout)
	defer stop()
	if err := last.Ended(ctx); err != nil {
		p.log.Warn("the last records are not written: the disk takes too long", "file", last.Status().File)
	}
}

// view is what has been recorded; nil: nothing is.
func (r *recording) view() *telemetry.Recording {
	is := r.now.Load()
	if is == nil {
		return nil
	}
	return &telemetry.Recording{Status: is.Status(), Counts: &r.counts}
}

// witness writes down the requests of a route; nil: nobody does.
func (is *recorded) witness(route string) httpgate.Witness {
	if is == nil {
		return nil
	}
	return is.Of(route)
}
