package config

import (
	"slices"
	"time"

	"github.com/plimsoll-go/plimsoll/client"
)

// OnlyUpstream is the name of the upstream that a command line makes.
const OnlyUpstream = "upstream"

// Upstream is a service behind, which several endpoints may offer.
type Upstream struct {
	Name string
	// Endpoints are where it is, at least one, each once.
	Endpoints []Endpoint
	// MaxConnections bounds the connections to each endpoint. 0: as many as
	// the limit lets through.
	MaxConnections int
	// DialTimeout bounds the making of a connection, TLS included, above 0.
	DialTimeout time.Duration
	// IdleTimeout closes connections that carry nothing, above 0.
	IdleTimeout time.Duration
	// DeadlineHeaders are the dialects in which the service is told what is
	// left. gRPC is told in its own, whatever stands here. Empty: only that.
	DeadlineHeaders []Dialect
	// Ejection is when an endpoint is left out for a while.
	Ejection Ejection
	// TLS is how https endpoints are spoken to.
	TLS ClientTLS
	// Retries, Breaker and Throttle are what is not sent there, and what is sent
	// again. The zero values: everything is sent, once.
	Retries  Retries
	Breaker  Breaker
	Throttle Throttle
}

// Client is how an upstream is called. False: every request is sent once, and
// there is nothing to it.
func (u Upstream) Client() (client.Config, bool) {
	var c client.Config
	u.Retries.call(&c)
	u.Breaker.call(&c)
	u.Throttle.call(&c)
	return c, u.Retries != (Retries{}) || u.Breaker != (Breaker{}) || u.Throttle != (Throttle{})
}

// Equal reports whether two upstreams are the same in everything.
func (u Upstream) Equal(o Upstream) bool {
	return u.Name == o.Name && slices.Equal(u.Endpoints, o.Endpoints) && u.MaxConnections == o.MaxConnections &&
		u.DialTimeout == o.DialTimeout && u.IdleTimeout == o.IdleTimeout &&
		slices.Equal(u.DeadlineHeaders, o.DeadlineHeaders) && u.Ejection == o.Ejection && u.TLS == o.TLS &&
		u.Retries == o.Retries && u.Breaker == o.Breaker && u.Throttle == o.Throttle
}

// ClientTLS is how an https endpoint is verified, and what is shown to it. The
// zero value verifies by the system's roots and shows nothing. Files are
// absolute paths.
type ClientTLS struct {
	CA               string // a PEM file of roots. Empty: the system's
	ServerName       string // what the certificate has to name. Empty: the endpoint's host
	Certificate, Key string // PEM files. Empty, both: no certificate is shown
}

// Ejection is when an endpoint that fails is left out.
type Ejection struct {
	// Failures in a row eject an endpoint; an overload answer is none. 0:
	// nothing is ejected.
	Failures int
	// Time is how long it stays out, above 0.
	Time time.Duration
	// AtMost is the part of the endpoints that may be out at once.
	AtMost Percent
}

// Out is how many of so many endpoints may be out at once.
func (e Ejection) Out(endpoints int) int {
	return int(float64(endpoints)*e.AtMost.Share() + 1e-9) // a third of three is one
}

// Dialect is a way to tell a service what is left of the time.
type Dialect uint8

// The dialects.
const (
	// Plimsoll is the header that [Config.TimeoutHeader] names, in
	// milliseconds.
	Plimsoll Dialect = iota
	// GRPC is grpc-timeout.
	GRPC
	// Envoy is x-envoy-expected-rq-timeout-ms.
	Envoy
)

// String returns the name in a file.
func (d Dialect) String() string { return [...]string{"plimsoll", "grpc", "envoy"}[d] }

func newUpstream(name string) Upstream {
	return Upstream{
		Name:            name,
		DialTimeout:     5 * time.Second,
		IdleTimeout:     60 * time.Second,
		DeadlineHeaders: []Dialect{Plimsoll},
		Ejection:        DefaultEjection(),
	}
}

// DefaultEjection is the ejection of an upstream of which nothing was said.
func DefaultEjection() Ejection { return Ejection{Failures: 5, Time: 10 * time.Second, AtMost: 50} }

var upstream = object(func() Upstream { return newUpstream("") },
	member("endpoints", some("endpoint", list("endpoints", zero[Endpoint], endpoint)).also(schema{"uniqueItems": true}), func(u *Upstream) *[]Endpoint { return &u.Endpoints },
		"Where the service is: http, https or h2c (HTTP/2 without TLS), a host and a port. gRPC goes over HTTP/2 to an http endpoint, too. Requests go to the one with the fewest under way.").need("where the service is, such as [http://127.0.0.1:8081]"),
	member("maxConnections", number(0, most), func(u *Upstream) *int { return &u.MaxConnections },
		"How many connections to one endpoint there may be; more requests wait for one. 0: as many as the limit lets through."),
	member("dialTimeout", duration(false), func(u *Upstream) *time.Duration { return &u.DialTimeout },
		"How long making a connection may take, TLS included."),
	member("idleTimeout", duration(false), func(u *Upstream) *time.Duration { return &u.IdleTimeout },
		"How long a connection that carries nothing is kept. Less than the service keeps it, or requests meet closed connections."),
	member("deadlineHeaders", list("dialects", zero[Dialect], choice([]Dialect{Plimsoll, GRPC, Envoy}, Dialect.String)).called("list of plimsoll, grpc, envoy").also(schema{"uniqueItems": true}), func(u *Upstream) *[]Dialect { return &u.DeadlineHeaders },
		"How the service is told what is left of the time: plimsoll (the header of timeoutHeader), grpc (grpc-timeout; gRPC is told this way in any case), envoy (x-envoy-expected-rq-timeout-ms)."),
	member("ejection", orWord("none", ejection, Ejection{}), func(u *Upstream) *Ejection { return &u.Ejection },
		"When an endpoint that fails is left out for a while. An overload answer (429, 503 with Retry-After or of a gate) is no failure. none: never."),
	member("tls", maybe(clientTLS), func(u *Upstream) *ClientTLS { return &u.TLS },
		"How https endpoints are verified, and what is shown to them. Absent: by the system's roots, and nothing."),
	member("retries", retries, func(u *Upstream) *Retries { return &u.Retries },
		"When a request is sent again, to another endpoint if there is one. Absent: never, but that what could not be connected is sent to another endpoint."),
	member("breaker", breakerKind, func(u *Upstream) *Breaker { return &u.Breaker },
		"When nothing is sent for a while, as the service fails: for each criticality by itself. Absent: never."),
	member("throttle", throttleKind, func(u *Upstream) *Throttle { return &u.Throttle },
		"What is held back as the service would refuse it: for each criticality by itself. Absent: nothing."),
)

var ejection = object(DefaultEjection,
	member("failures", number(1, most), func(e *Ejection) *int { return &e.Failures },
		"Failures in a row that eject an endpoint: no connection, a broken answer, 502, 504. An HTTP/2 stream that is reset while its connection goes on is one only where nobody is answered."),
	member("time", duration(false), func(e *Ejection) *time.Duration { return &e.Time },
		"How long it stays out."),
	member("atMost", percent(0, 100), func(e *Ejection) *Percent { return &e.AtMost },
		"The part of the endpoints that may be out at once, rounded down: the others stay whatever they do."),
)

var clientTLS = object(zero[ClientTLS],
	member("ca", file, func(t *ClientTLS) *string { return &t.CA },
		"A PEM file with the roots that the certificate must come from. Absent: the system's."),
	member("serverName", host, func(t *ClientTLS) *string { return &t.ServerName },
		"The name that the certificate must have. Absent: the endpoint's host."),
	member("certificate", file, func(t *ClientTLS) *string { return &t.Certificate },
		"A PEM file with the certificate that is shown to the service."),
	member("key", file, func(t *ClientTLS) *string { return &t.Key },
		"A PEM file with that certificate's key."),
).also(schema{"dependentRequired": schema{"certificate": []string{"key"}, "key": []string{"certificate"}}})
