package web

import (
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
)

// Loopback is a server on a loopback port whose clients are elsewhere.
type Loopback struct {
	order    Order
	client   *Client
	listener net.Listener
	server   *http.Server
}

// NewLoopback starts a server for c, which client is to load.
func NewLoopback(c Case, client *Client) (*Loopback, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	s := &Loopback{
		order:    Order{Addr: l.Addr().String(), Request: c.Request, Status: c.Status},
		client:   client,
		listener: l,
		server:   &http.Server{Handler: c.Handler, ErrorLog: log.New(io.Discard, "", 0)},
	}
	go s.server.Serve(l)
	return s, nil
}

// Close stops the server.
func (l *Loopback) Close() error { return l.server.Close() }

// Serve has the server answer n requests over [Connections] connections, which
// stay open, inside run. It fails unless every answer has the status it
// should.
func (l *Loopback) Serve(n int, run func(ops int, f func())) error {
	o := l.order
	o.Each = max(1, n/Connections)
	var err error
	run(o.Each*Connections, func() { err = l.client.Do(o) })
	if err != nil {
		return fmt.Errorf("the load: %w", err)
	}
	return nil
}
