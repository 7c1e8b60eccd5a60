package plimsoll

import (
	"context"
	"time"
)

// Gate admits, queues or refuses work. Make one with [New]; its methods may
// be used concurrently.
type Gate struct{}

// New returns a gate, or every fault of its configuration at once.
func New(c Config) (*Gate, error) { return nil, c.Validate() }

// Do runs fn when the gate admits it.
func (g *Gate) Do(ctx context.Context, w Work, fn func(context.Context) error) error { panic("unwritten") }

// Acquire waits for a slot. The error is a *Refusal.
func (g *Gate) Acquire(ctx context.Context, w Work) (Ticket, error) { panic("unwritten") }

// TryAcquire is Acquire for callers that never wait.
func (g *Gate) TryAcquire(ctx context.Context, w Work) (Ticket, error) { panic("unwritten") }

// Snapshot copies what the gate looks like now.
func (g *Gate) Snapshot() Snapshot { panic("unwritten") }

// Reconfigure puts new bounds in force for arrivals.
func (g *Gate) Reconfigure(c Config) error { panic("unwritten") }

// Recover drops the backlog and readmits on a ramp of the given length.
func (g *Gate) Recover(ramp time.Duration) { panic("unwritten") }

// Drain refuses new work from now on.
func (g *Gate) Drain() { panic("unwritten") }

// Close drains, and waits until nothing is held or waits, or ctx ends.
func (g *Gate) Close(ctx context.Context) error { panic("unwritten") }

// Ticket is one admitted piece of work.
type Ticket struct{}

// Release gives the slot back.
func (t Ticket) Release(o Outcome) { panic("unwritten") }

// Detach moves a long-lived stream out of its slot; false: it keeps it.
func (t Ticket) Detach() bool { panic("unwritten") }

// Waited is how long the work waited in the queue.
func (t Ticket) Waited() time.Duration { panic("unwritten") }
