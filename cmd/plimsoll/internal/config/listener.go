package config

import "time"

// Listener is one port for traffic.
type Listener struct {
	// Address is host:port or :port.
	Address string
	// TLS is the certificate to show; the zero value is a port without TLS.
	TLS ServerTLS
	// MaxConnections bounds the open connections. 0: no bound of our own.
	MaxConnections int
	// MaxHeaderBytes bounds one request's header, above 0.
	MaxHeaderBytes Bytes
	// MaxStreams bounds the concurrent requests of one HTTP/2 connection,
	// above 0.
	MaxStreams int
	// ReadHeaderTimeout bounds the reading of a request's header, above 0.
	ReadHeaderTimeout time.Duration
	// BodyTimeout is the longest that a body may stand still, above 0, and how
	// long it has before MinBodyRate counts.
	BodyTimeout time.Duration
	// MinBodyRate is how many bytes a second of a body have to arrive, on the
	// average of the time that it is waited for. 0: any number.
	MinBodyRate Bytes
	// IdleTimeout closes connections that carry nothing, above 0.
	IdleTimeout time.Duration
}

// ServerTLS names the files of a certificate, absolute paths of PEM files.
type ServerTLS struct{ Certificate, Key string }

// On reports whether there is TLS.
func (t ServerTLS) On() bool { return t != ServerTLS{} }

func newListener() Listener {
	return Listener{
		Address:           ":8080",
		MaxConnections:    10000,
		MaxHeaderBytes:    64 << 10,
		MaxStreams:        250,
		ReadHeaderTimeout: 5 * time.Second,
		BodyTimeout:       5 * time.Second,
		MinBodyRate:       1 << 10,
		IdleTimeout:       90 * time.Second,
	}
}

var listener = object(newListener,
	member("address", address, func(l *Listener) *string { return &l.Address },
		"Where to listen: host:port, or :port for every address of the machine.").need("host:port or :port, such as :8080"),
	member("tls", maybe(serverTLS), func(l *Listener) *ServerTLS { return &l.TLS },
		"The certificate to show. Absent: no TLS. HTTP/2 is spoken either way."),
	member("maxConnections", number(0, most), func(l *Listener) *int { return &l.MaxConnections },
		"How many connections may be open; further ones wait in the system's backlog. 0: no bound of the proxy's own."),
	member("maxHeaderBytes", size(4<<10, 16<<20), func(l *Listener) *Bytes { return &l.MaxHeaderBytes },
		"The size of a request's header, its first line included; more is answered with 431."),
	member("maxStreams", number(1, most), func(l *Listener) *int { return &l.MaxStreams },
		"How many requests one HTTP/2 connection may have open."),
	member("readHeaderTimeout", duration(false), func(l *Listener) *time.Duration { return &l.ReadHeaderTimeout },
		"How long a request's header may take to arrive, from its first byte to its last."),
	member("bodyTimeout", duration(false), func(l *Listener) *time.Duration { return &l.BodyTimeout },
		"How long a request's body may stand still; more is answered with 408. A slot is given when its first 8 KiB are there. gRPC and routes with stream: true are not bounded by it, since both sides may be waiting for each other, but by timeout until they are answered; what has become a stream, by maxStreams of its gate."),
	member("minBodyRate", size(0, 1<<30), func(l *Listener) *Bytes { return &l.MinBodyRate },
		"How many bytes a second of a body have to arrive, on average, once bodyTimeout has passed. 0: any number."),
	member("idleTimeout", duration(false), func(l *Listener) *time.Duration { return &l.IdleTimeout },
		"How long a connection may carry nothing."),
)

var serverTLS = object(zero[ServerTLS],
	member("certificate", file, func(t *ServerTLS) *string { return &t.Certificate },
		"A PEM file with the certificate and those between it and the root. Read again when it changes.").need("the file of a certificate, such as server.pem"),
	member("key", file, func(t *ServerTLS) *string { return &t.Key },
		"A PEM file with the certificate's key.").need("the file of the certificate's key, such as server.key"),
)
