package config

import (
	"net/netip"
	"net/url"
	"time"

	"github.com/plimsoll-go/plimsoll"
	"github.com/plimsoll-go/plimsoll/class"
	"github.com/plimsoll-go/plimsoll/class/wire"
	"github.com/plimsoll-go/plimsoll/limit"
	"github.com/plimsoll-go/plimsoll/queue"
)

// Version is the version of the file format, the value of its key "version".
const Version = 1

// Config is everything a proxy runs on. Make one with [Load] or [Default];
// the zero value is not a working configuration, since zero means zero here.
type Config struct {
	// Name stands in logs, in /status and in the gate's own errors.
	Name string
	// Listen is the address the traffic arrives at, host:port.
	Listen string
	// Admin is the address of metrics, status and probes.
	Admin string
	// Upstream is the service behind: http, https or h2c, a host, no path.
	// Nil: not given, which is a fault.
	Upstream *url.URL

	// Limit is how many requests may be in flight, 1 to [limit.Max]. 0 is
	// "auto": found and kept between MinLimit and MaxLimit.
	Limit              int
	MinLimit, MaxLimit int

	// MaxWait is the longest a request waits for its turn. 0: nobody waits.
	MaxWait time.Duration
	// MaxQueue bounds the queue in places. 0: there is no queue, requests are
	// admitted while a slot is free. [Unbounded]: MaxWait alone bounds it.
	MaxQueue int
	// Order is how waiters of one class are served.
	Order queue.Order
	// Full is what happens when the queue is full and holds nothing less
	// important.
	Full queue.Full
	// MaxStreams is how many long-lived streams may be open beside the limit.
	// 0: none, streams keep their slot.
	MaxStreams int

	// Timeout is the deadline of a request that brings none, MaxTimeout at
	// most, and the most that a caller who is not trusted may ask for. 0:
	// there is no such deadline and no such bound.
	Timeout time.Duration
	// MaxTimeout is the longest deadline that any caller may ask for, above 0.
	MaxTimeout time.Duration
	// TimeoutHeader names the header with the remaining time in milliseconds.
	TimeoutHeader string
	// HopMargin is kept back from the time that is left, for the answer's way
	// to the caller: the service behind is told of that much less, and has to
	// begin its answer within it. It is never more than a tenth of that time.
	// 0: nothing is kept back.
	HopMargin time.Duration

	// StatusWhenFull answers a refusal for want of capacity: 503 or 429.
	StatusWhenFull int

	// Trusted says that all callers may raise their criticality; otherwise
	// only those from TrustedNetworks may, and the others can only lower it.
	Trusted         bool
	TrustedNetworks []netip.Prefix

	// LevelHeader names the request header whose value picks the level inside
	// a class: the same value is shed, or kept, together. Empty: none does.
	LevelHeader string
	// TenantHeader names the request header that says whose request it is;
	// waiting tenants share evenly. Empty: there are no tenants.
	TenantHeader string

	// Exempt paths are passed on without asking the gate.
	Exempt []Pattern
	// Rules classify requests; the first that matches decides.
	Rules []Rule

	// ReadyWhenFull says whether /readyz stays 200 while the backend is full.
	// It does by default: taking one overloaded replica out of the balancer
	// moves its load to the others.
	ReadyWhenFull bool
	// DrainDelay is how long requests are still taken after SIGTERM, while
	// /readyz already fails and the balancer takes notice. 0: they are not.
	DrainDelay time.Duration
	// DrainTimeout bounds the time that what is running then has to end. 0: it
	// is cut at once.
	DrainTimeout time.Duration
	// ReadHeaderTimeout bounds the reading of a request's header, above 0.
	ReadHeaderTimeout time.Duration
	// IdleTimeout closes connections that carry nothing, above 0.
	IdleTimeout time.Duration
}

// Unbounded is the MaxQueue of a queue that only MaxWait bounds.
const Unbounded = -1

// Rule gives the requests that it matches a criticality. What is absent
// matches everything.
type Rule struct {
	Path        Pattern
	Methods     []string
	Headers     []HeaderMatch
	Criticality class.Criticality
	// Stream says that matching requests may outlive their answer's first
	// byte: a place among the streams is reserved for each.
	Stream bool
}

// HeaderMatch matches a request that has the header Name with the value
// Value, or with any value when Value is "*".
type HeaderMatch struct{ Name, Value string }

// Default returns the settings of a proxy of which nothing was said. Only the
// upstream is missing.
func Default() Config {
	return Config{
		Name:              "plimsoll",
		Listen:            ":8080",
		Admin:             "127.0.0.1:9090",
		MinLimit:          1,
		MaxLimit:          limit.DefaultAutoMax,
		MaxWait:           plimsoll.DefaultMaxWait,
		MaxQueue:          Unbounded,
		MaxStreams:        plimsoll.DefaultMaxStreams,
		Timeout:           15 * time.Second,
		MaxTimeout:        30 * time.Second,
		TimeoutHeader:     wire.TimeoutHeader,
		HopMargin:         5 * time.Millisecond,
		StatusWhenFull:    503,
		ReadyWhenFull:     true,
		DrainTimeout:      30 * time.Second,
		ReadHeaderTimeout: 5 * time.Second,
		IdleTimeout:       90 * time.Second,
	}
}
