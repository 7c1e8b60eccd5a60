package telemetry

import (
	"sync/atomic"

	"github.com/plimsoll-go/plimsoll/class/wire"
)

// UpstreamError says how the service behind failed to answer.
type UpstreamError uint8

// The ways in which a service fails to answer.
const (
	ConnectError  UpstreamError = iota // no connection: refused, unreachable, no such host
	DeadlineError                      // the caller's deadline passed first
	AnswerError                        // the connection broke, or what came was no HTTP
	upstreamErrors
)

var upstreamErrorNames = [upstreamErrors]string{"connect", "deadline", "answer"}

// String returns the value of the label kind.
func (e UpstreamError) String() string { return upstreamErrorNames[e] }

// Events counts what the proxy sees and the gate does not. The zero value is
// ready; it may be used concurrently.
type Events struct {
	// DeadlineInvalid counts requests whose deadline could not be read and
	// was treated as absent.
	DeadlineInvalid atomic.Uint64
	// CriticalityInvalid counts requests whose criticality could not be read
	// and was treated as absent.
	CriticalityInvalid atomic.Uint64
	// Clamped counts requests that asked for more time or importance than
	// they were given.
	Clamped atomic.Uint64
	// Exempt counts requests that passed without asking the gate.
	Exempt atomic.Uint64
	// Unmatched counts requests that no route matches.
	Unmatched atomic.Uint64
	// SlowBodies counts requests whose body came too slowly.
	SlowBodies atomic.Uint64

	upstream   [upstreamErrors]atomic.Uint64
	signatures [wire.NumVerdicts]atomic.Uint64
}

// Signature counts a request whose signature was worth this.
func (e *Events) Signature(v wire.Verdict) { e.signatures[v].Add(1) }

// Upstream counts one failure of the service behind.
func (e *Events) Upstream(kind UpstreamError) { e.upstream[kind].Add(1) }
