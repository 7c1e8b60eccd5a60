package grpcgate

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/plimsoll-go/plimsoll"
	"github.com/plimsoll-go/plimsoll/class"
	"github.com/plimsoll-go/plimsoll/class/wire"
)

// DefaultMaxPushback is the longest that a refusal sends anybody away, where
// [ServerConfig] does not say.
const DefaultMaxPushback = 30 * time.Second

// maxMaxPushback is the longest that can be asked for.
const maxMaxPushback = time.Hour

// ServerConfig says how calls become work for gates, and what refusals look
// like. The zero value serves: callers are not trusted with more than CRITICAL,
// and health checks, reflection and the like skip the gate. It must not change
// once it has made a [Server].
type ServerConfig struct {
	// Wire says what of the metadata is believed and how far, and has the
	// default timeout.
	Wire wire.Config

	// Trusted says whether a caller is to be believed as by [wire.Config.Trusted],
	// by its certificate or address: see package peer. It is asked before
	// authentication, once for each call that is not exempt, and may be called
	// concurrently. Nil: Wire alone says.
	Trusted func(context.Context) bool

	// Rules are for methods that differ. The rule with the most specific
	// pattern applies, and no other.
	Rules []Rule

	// Classify adds what neither metadata nor rules say; it finds in w what is
	// known so far, Unset where the caller made no claim, and has the last word.
	// It may be called concurrently. Nil: nothing is added.
	Classify func(ctx context.Context, method string, w *plimsoll.Work)

	// Exempt are patterns of methods that skip the gate: they are neither limited
	// nor counted. Nil: those of [DefaultExempt]; of an empty slice, none.
	Exempt []string

	// MaxPushback bounds grpc-retry-pushback-ms, up to an hour. Zero:
	// [DefaultMaxPushback].
	MaxPushback time.Duration

	// LoadReport says which answers carry a load report.
	LoadReport Reports

	// Load makes the reports. Nil: one over all gates of the server.
	Load *Load

	// OnInvalid is told of calls whose metadata could not be read, claimed more
	// than they were given, or had a signature that is worth nothing. They are
	// served all the same. It may be called concurrently. Nil: nobody is told.
	OnInvalid func(ctx context.Context, method string, in wire.Incoming)

	// Observe is told how every call has ended that asked a gate, once each:
	// refused, or when its handler has returned. It is called on the call's
	// goroutine, or on that of its connection if a tap handle refused, and may be called
	// concurrently. Nil: nobody is told.
	Observe func(ctx context.Context, method string, e Ended)
}

// Rule is for methods that differ from the others of a server.
type Rule struct {
	// Methods are patterns: /package.Service/Method, /package.Service/* or *.
	Methods []string
	// Gate is who admits. Nil: the server's.
	Gate *plimsoll.Gate
	// Criticality is that of calls whose caller claims none. Unset: CRITICAL.
	Criticality class.Criticality
	// Wire is what of the metadata is believed. Nil: the server's.
	Wire *wire.Config
	// Hold is how long a call has its slot.
	Hold Hold
}

// Hold says how long a call has its slot.
type Hold uint8

const (
	// HoldAuto is HoldToFirst for calls that are answered by a stream, and
	// HoldToEnd for others. So a client that streams, and is answered once, has
	// a slot for as long as it does: taking in what it sends is the work.
	HoldAuto Hold = iota
	// HoldToEnd has a call keep its slot until its handler has returned.
	HoldToEnd
	// HoldToFirst has a call leave its slot for a place among the streams with the first message
	// that it sends, or, where the client streams and is answered once, with the
	// first that it receives. Unary calls keep theirs.
	HoldToFirst
)

// DefaultExempt are the services that a server answers when it does nothing
// else: health checks, reflection, channelz, and the load reports of ORCA.
func DefaultExempt() []string {
	return []string{
		"/grpc.health.v1.Health/*",
		"/grpc.reflection.v1.ServerReflection/*",
		"/grpc.reflection.v1alpha.ServerReflection/*",
		"/grpc.channelz.v1.Channelz/*",
		"/xds.service.orca.v3.OpenRcaService/*",
	}
}

// Validate reports every fault at once and changes nothing.
func (c ServerConfig) Validate() error {
	var faults []error
	fault := func(key string, wanted any) {
		faults = append(faults, fmt.Errorf("grpcgate: ServerConfig.%s: %w", key, fmt.Errorf("%v", wanted)))
	}
	if err := c.Wire.Validate(); err != nil {
		fault("Wire", err)
	}
	seen := newMethods(struct{}{})
	pattern := func(key, p string) {
		if !validPattern(p) {
			fault(key, fmt.Sprintf("want /package.Service/Method, /package.Service/* or *, have %q", p))
		} else if err := seen.add(p, struct{}{}); err != nil {
			fault(key, err)
		}
	}
	for _, p := range c.exempt() {
		pattern("Exempt", p)
	}
	for i, r := range c.Rules {
		key := fmt.Sprintf("Rules[%d].", i)
		if len(r.Methods) == 0 {
			fault(key+"Methods", "want a pattern or more, have none")
		}
		for _, p := range r.Methods {
			pattern(key+"Methods", p)
		}
		if !r.Criticality.Valid() {
			fault(key+"Criticality", fmt.Sprintf("want one of the four criticalities, have %d", uint8(r.Criticality)))
		}
		if r.Wire != nil {
			if err := r.Wire.Validate(); err != nil {
				fault(key+"Wire", err)
			}
		}
		if r.Hold > HoldToFirst {
			fault(key+"Hold", fmt.Sprintf("want HoldAuto, HoldToEnd or HoldToFirst, have %d", r.Hold))
		}
	}
	if c.MaxPushback < 0 || c.MaxPushback > maxMaxPushback {
		fault("MaxPushback", fmt.Sprintf("want from 0 to %s, have %s", maxMaxPushback, c.MaxPushback))
	}
	if c.LoadReport > ReportAll {
		fault("LoadReport", fmt.Sprintf("want ReportWanted, ReportRefusals or ReportAll, have %d", c.LoadReport))
	}
	return errors.Join(faults...)
}

// exempt leaves out of the defaults what a rule names: whoever gates health
// checks says so by a rule.
func (c *ServerConfig) exempt() []string {
	if c.Exempt != nil {
		return c.Exempt
	}
	return slices.DeleteFunc(DefaultExempt(), func(p string) bool {
		return slices.ContainsFunc(c.Rules, func(r Rule) bool { return slices.Contains(r.Methods, p) })
	})
}

func (c *ServerConfig) maxPushback() time.Duration {
	if c.MaxPushback > 0 {
		return c.MaxPushback
	}
	return DefaultMaxPushback
}
