package config

import (
	"time"

	"github.com/plimsoll-go/plimsoll/class/wire"
)

// Version is the version of the file format, the value of its key "version".
const Version = 1

// Config is everything a proxy runs on. Make one with [Load] or [For]; the
// zero value is not a working configuration, since zero means zero here.
type Config struct {
	// Name stands in logs and in /status.
	Name string
	// Admin is the address of metrics, status and probes.
	Admin string
	// Listeners are where the traffic arrives, at least one.
	Listeners []Listener
	// Upstreams are the services behind, at least one, in the file's order.
	Upstreams []Upstream
	// Gates are what decides who gets through: one for each upstream, named
	// like it and in the same order, then those made for routes.
	Gates []Gate
	// Classes are what the file says of classes, in its order; a class named
	// [DefaultClass] is always among them.
	Classes []Class
	// Routes say which requests go where, at least one; the first that matches
	// decides, and what none matches is answered with 404.
	Routes []Route

	// Timeout is the deadline of a request that brings none, and the most that
	// a caller who is not trusted may ask for, MaxTimeout at most. 0: there is
	// no such deadline and no such bound. Routes have their own, filled in from
	// this one.
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
	// Cache bounds what routes store.
	Cache Cache
	// Exempt paths are passed on without asking a gate.
	Exempt []Pattern

	Trust Trust
	Drain Drain
	// ReadyWhenFull says whether /readyz stays 200 while a gate is full. It
	// does by default: taking one overloaded replica out of the balancer moves
	// its load to the others.
	ReadyWhenFull bool
	Telemetry     Telemetry
	// Record is where what arrives is written down.
	Record Record

	// Places says where the values were given; nil: nobody knows.
	Places Places
}

// Default returns the settings of a proxy of which nothing was said: no
// upstream yet, hence no gate and no route.
func Default() Config {
	return Config{
		Name:           "plimsoll",
		Admin:          "127.0.0.1:9090",
		Timeout:        15 * time.Second,
		MaxTimeout:     30 * time.Second,
		TimeoutHeader:  wire.TimeoutHeader,
		HopMargin:      5 * time.Millisecond,
		StatusWhenFull: 503,
		Cache:          defaultCache(),
		Drain:          Drain{Timeout: 30 * time.Second},
		ReadyWhenFull:  true,
		Telemetry:      defaultTelemetry(),
	}
}

// For returns the default settings of a proxy before one service, which is
// called [OnlyUpstream] and has one endpoint.
func For(e Endpoint) Config {
	c := Default()
	u := newUpstream(OnlyUpstream)
	u.Endpoints = []Endpoint{e}
	c.Upstreams = []Upstream{u}
	c.resolve()
	return c
}

// root is the file as a whole.
var root = object(Default, rootKeys...)

var rootKeys = []key[Config]{
	member("version", version, func(c *Config) *Config { return c },
		"The version of this format: 1.").need("version: 1, so that the file is still understood when the format changes"),
	member("name", name("a name of letters, digits, - and _"), func(c *Config) *string { return &c.Name },
		"What the proxy is called in logs and in /status."),
	member("admin", address, func(c *Config) *string { return &c.Admin },
		"Where /metrics, /status, /bounds, /healthz and /readyz are. It has no password: keep it on loopback or in a network of your own."),
	member("listeners", some("listener", list("listeners", newListener, listener)), func(c *Config) *[]Listener { return &c.Listeners },
		"Where the traffic arrives: HTTP/1.1 and HTTP/2 on one port. Absent: one on :8080, without TLS."),
	member("upstreams", named("upstreams", newUpstream, upstream, func(u *Upstream) string { return u.Name }).also(schema{"minProperties": 1}), func(c *Config) *[]Upstream { return &c.Upstreams },
		"The services behind, by name, each with its endpoints."),
	member("gates", named("gates", newGate, gate, func(g *Gate) string { return g.Name }), func(c *Config) *[]Gate { return &c.Gates },
		"The gates, by name. One for each upstream exists by itself, named like it; what is said of it here changes it. Others are made for routes."),
	member("classes", named("classes", newClass, classKind, func(c *Class) string { return c.Name }), func(c *Config) *[]Class { return &c.Classes },
		"Classes of requests, by name: what they are when they say nothing of themselves, and who may claim what. The class \"default\" is that of routes without one."),
	member("routes", some("route", list("routes", newRoute, route)), func(c *Config) *[]Route { return &c.Routes },
		"Which requests go where: the first that matches decides, and what none matches is answered with 404. Absent: everything goes to the only upstream."),
	member("timeout", duration(true), func(c *Config) *time.Duration { return &c.Timeout },
		"The deadline of requests that bring none, and the most that callers who are not trusted may ask for. 0: no such deadline, no such bound."),
	member("maxTimeout", duration(false), func(c *Config) *time.Duration { return &c.MaxTimeout },
		"The longest deadline that any caller may ask for."),
	member("timeoutHeader", headerName, func(c *Config) *string { return &c.TimeoutHeader },
		"The header with the milliseconds that a caller still waits. grpc-timeout, connect-timeout-ms and x-envoy-expected-rq-timeout-ms are read as well."),
	member("hopMargin", duration(true), func(c *Config) *time.Duration { return &c.HopMargin },
		"Kept back from the time that is left for the answer's way to the caller, a tenth of it at most: the service has to begin its answer in the rest. 0: nothing is."),
	member("statusWhenFull", choice([]int{503, 429}, whole), func(c *Config) *int { return &c.StatusWhenFull },
		"What a refusal for want of room answers over HTTP."),
	member("cache", cache, func(c *Config) *Cache { return &c.Cache },
		"The bounds on what is stored of answers by the routes that have a cache, all together."),
	member("exempt", list("paths", zero[Pattern], pattern), func(c *Config) *[]Pattern { return &c.Exempt },
		"Paths that are passed on without asking a gate, hence without a deadline: a * at the end matches the rest, a segment * any one segment. A path that two servers may read in two ways is none of them."),
	member("trust", trust, func(c *Config) *Trust { return &c.Trust },
		"Who may raise its criticality, bring a longer deadline, and is believed about who it speaks for (X-Forwarded-*). Everybody else can only lower itself."),
	member("drain", drain, func(c *Config) *Drain { return &c.Drain },
		"How the proxy ends on SIGTERM: /readyz fails at once."),
	member("readyWhenFull", truth, func(c *Config) *bool { return &c.ReadyWhenFull },
		"Whether /readyz stays 200 while a gate is full: taking one overloaded replica out of the balancer moves its load to the others."),
	member("telemetry", telemetry, func(c *Config) *Telemetry { return &c.Telemetry },
		"What the proxy tells of itself, beside /metrics and /status."),
	member("record", maybeFrom(newRecord, record), func(c *Config) *Record { return &c.Record },
		"A trace of what arrives, for the simulator and for load tests: time, class, level, tenant as a hash, route, deadline, cost and time served, and nothing else of a request. Absent: none."),
}
